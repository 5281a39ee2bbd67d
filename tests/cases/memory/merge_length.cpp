// A list of 4096 records: the field has twelve bits.
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
  MrgSortSrcList<float> lists(t[512], t[576], t[640], t[704]);
  const uint16_t lengths[4] = {4096, 8, 8, 8};
  MrgSort(t, lists, MrgSort4Info(lengths, false, 15, 1));  // <-- AK1504
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, t, 64);
}
