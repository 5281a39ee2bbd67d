// Buffers over whole memories out of a TPipe that is destroyed at once, beside an allocator of L1: the tensors live on.
// launch: blocks=1 args=in:f16[256],in:f16[256],out:f32[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  constexpr uint16_t kSide = 16;
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  TPipe pipe;
  TBuf<TPosition::A2> whole_l0a;
  TBuf<TPosition::B2> whole_l0b;
  TBuf<TPosition::CO1> whole_l0c;
  pipe.InitBuffer(whole_l0a, 65536);
  pipe.InitBuffer(whole_l0b, 65536);
  pipe.InitBuffer(whole_l0c, 131072);
  LocalTensor<half> a2 = whole_l0a.Get<half>(), b2 = whole_l0b.Get<half>();
  LocalTensor<float> c = whole_l0c.Get<float>();
  pipe.Destroy();
  LocalMemAllocator<Hardware::L1> l1;
  LocalTensor<half> a1 = l1.Alloc<TPosition::A1, half>(kSide * kSide), b1 = l1.Alloc<TPosition::B1, half>(kSide * kSide);
  DataCopy(a1, xGm, Nd2NzParams{1, kSide, kSide, 0, kSide, kSide, 1, 0});
  DataCopy(b1, yGm, Nd2NzParams{1, kSide, kSide, 0, kSide, kSide, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  LoadData(a2, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  LoadData(b2, b1, LoadData2DParams{0, 1, 1, 0, 0, true, 0});
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  Mmad(c, a2, b2, MmadParams{kSide, kSide, kSide, 0, false, true});
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
  Fixpipe(zGm, c, FixpipeParamsV220(kSide, kSide, kSide, kSide, false));
}
