// The small mode of TopK takes rows of 32 elements.
// launch: blocks=1 args=out:f32[64]
// expect: AK1504
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR y) {
  GlobalTensor<float> yGm;
  yGm.SetGlobalBuffer((__gm__ float *)y, 64);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> buf, tmpBuf;
  pipe.InitBuffer(buf, 3 * 256);
  pipe.InitBuffer(tmpBuf, 16384);
  LocalTensor<float> t = buf.Get<float>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  CreateVecIndex(t, 0.0f, 192);
  LocalTensor<int32_t> noIndex;
  LocalTensor<bool> finish;
  TopkTiling topk;
  TopKInfo info;
  info.outter = 1, info.inner = 64, info.n = 64;
  LocalTensor<int32_t> index = t[128].ReinterpretCast<int32_t>();
  TopK<float, false, false, false, TopKMode::TOPK_NSMALL>(t[64], index, t, noIndex, finish, tmp, 3, topk, info);  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t[64], 64);
}
