// Every step of a product by queues: B1, C1 (the bias) and TSCM in L1, A2, B2, C2 (BiasTable), CO1.
// launch: blocks=1 args=in:f16[256],in:f16[256],in:f16[16],out:f16[256]
// expect: clean
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR bias, GM_ADDR z) {
  constexpr uint32_t kSide = 16, kElements = kSide * kSide;
  GlobalTensor<half> xGm, yGm, biasGm, zGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  biasGm.SetGlobalBuffer((__gm__ half *)bias);
  zGm.SetGlobalBuffer((__gm__ half *)z);
  TPipe pipe;
  TQue<TPosition::B1, 1> b1;
  TQue<TPosition::C1, 1> c1;
  TQue<TPosition::A2, 1> a2;
  TQue<TPosition::B2, 1> b2;
  TQue<TPosition::C2, 1> c2;
  TQue<TPosition::CO1, 1> co1;
  TSCM<TPosition::GM, 1> a1;
  pipe.InitBuffer(a1, 1, kElements * sizeof(half));
  pipe.InitBuffer(b1, 1, kElements * sizeof(half));
  pipe.InitBuffer(c1, 1, 64);
  pipe.InitBuffer(a2, 1, kElements * sizeof(half));
  pipe.InitBuffer(b2, 1, kElements * sizeof(half));
  pipe.InitBuffer(c2, 1, 128);
  pipe.InitBuffer(co1, 1, kElements * sizeof(float));

  LocalTensor<half> left1 = a1.AllocTensor<half>(), right1 = b1.AllocTensor<half>(), row1 = c1.AllocTensor<half>();
  DataCopy(left1, xGm, Nd2NzParams{1, kSide, kSide, 0, kSide, kSide, 1, 0});
  DataCopy(right1, yGm, Nd2NzParams{1, kSide, kSide, 0, kSide, kSide, 1, 0});
  DataCopy(row1, biasGm, kSide);
  a1.EnQue(left1);
  b1.EnQue(right1);
  c1.EnQue(row1);
  left1 = a1.DeQue<half>();
  right1 = b1.DeQue<half>();
  row1 = c1.DeQue<half>();
  LocalTensor<half> left2 = a2.AllocTensor<half>(), right2 = b2.AllocTensor<half>();
  LocalTensor<float> row2 = c2.AllocTensor<float>();
  LoadData(left2, left1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  LoadData(right2, right1, LoadData2DParams{0, 1, 1, 0, 0, true, 0});
  DataCopy(row2, row1, DataCopyParams{1, 1, 0, 0});
  a1.FreeTensor(left1);
  b1.FreeTensor(right1);
  c1.FreeTensor(row1);
  a2.EnQue(left2);
  b2.EnQue(right2);
  c2.EnQue(row2);
  left2 = a2.DeQue<half>();
  right2 = b2.DeQue<half>();
  row2 = c2.DeQue<float>();
  LocalTensor<float> sum = co1.AllocTensor<float>();
  MmadParams params;
  params.m = params.n = params.k = kSide;
  Mmad(sum, left2, right2, row2, params);
  a2.FreeTensor(left2);
  b2.FreeTensor(right2);
  c2.FreeTensor(row2);
  co1.EnQue(sum);
  sum = co1.DeQue<float>();
  FixpipeParamsV220 out(kSide, kSide, kSide, kSide, true);
  out.quantPre = QuantMode_t::F322F16;
  Fixpipe(zGm, sum, out);
  co1.FreeTensor(sum);
}
