// Rows that are finished go with the normal mode.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf;
  pipe.InitBuffer(buf, 8192);
  LocalTensor<float> t = buf.Get<float>();
  Duplicate(t, 1.0f, 2048);
  LocalTensor<int32_t> noIndex, index = t[128].ReinterpretCast<int32_t>();
  LocalTensor<bool> finish = t[256].ReinterpretCast<bool>();
  TBuf<QuePosition::VECCALC> tmpBuf;
  pipe.InitBuffer(tmpBuf, 16384);
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  TopkTiling topk;
  TopKInfo info;
  info.outter = 1, info.inner = 32, info.n = 32;
  TopK<float, false, true, false, TopKMode::TOPK_NSMALL>(t, index, t[512], noIndex, finish, tmp, 3, topk, info);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
