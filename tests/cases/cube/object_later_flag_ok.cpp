// A job is posted while MTE3 waits for a flag that the vector unit sets later: it is on its way when MTE3 is.
// launch: blocks=1 args=in:f16[4096],in:f16[3072],out:f32[3072],out:f32[128]
// expect: clean
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

inline TCubeTiling Cut(int m, int n, int k) {
  TCubeTiling t;
  t.usedCoreNum = 1, t.M = m, t.N = n, t.Ka = t.Kb = k;
  t.singleCoreM = m, t.singleCoreN = n, t.singleCoreK = k;
  t.baseM = 32, t.baseN = 32, t.baseK = 32;
  t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
  t.depthA1 = t.depthB1 = 2, t.dbL0A = t.dbL0B = t.dbL0C = 2;
  return t;
}
using Left = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Right = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, float>;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR w) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm, wGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  wGm.SetGlobalBuffer((__gm__ float *)w);
  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  TCubeTiling cut = Cut(64, 48, 64);
  Matmul<Left, Right, Out> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
  pipe.InitBuffer(buffer, 256);
  LocalTensor<float> ones = buffer.Get<float>();
  const int half_of = GetBlockIdx() * 32;
  product.SetTail(32);
  product.SetTensorA(xGm[half_of * 64]);
  product.SetTensorB(yGm);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID3);
  product.IterateAll<false>(zGm[half_of * 48], 0, false, true);
  Duplicate(ones, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID3);
  DataCopy(wGm[GetBlockIdx() * 64], ones, 64);
  product.WaitIterateAll();
  product.End();
}
