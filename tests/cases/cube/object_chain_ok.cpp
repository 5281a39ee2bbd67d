// The product of a product: the second one reads what the first has written, after the call of the first has returned.
// launch: blocks=1 args=in:f16[4096],in:f16[4096],inout:f16[4096],out:f32[4096]
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
using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR w, GM_ADDR between, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GlobalTensor<half> xGm, wGm, betweenGm;
  GlobalTensor<float> yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  wGm.SetGlobalBuffer((__gm__ half *)w);
  betweenGm.SetGlobalBuffer((__gm__ half *)between);
  yGm.SetGlobalBuffer((__gm__ float *)y);
  TPipe pipe;
  TCubeTiling cut = Cut(32, 64, 64);
  Matmul<Half, Half, Half> one;
  Matmul<Half, Half, Float> two;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), one, &cut, two, &cut);
  const int at = GetBlockIdx() * 32 * 64;  // rows of this core
  one.SetTensorA(xGm[at]);
  one.SetTensorB(wGm);
  one.IterateAll(betweenGm[at]);
  one.End();
  two.SetTensorA(betweenGm[at]);
  two.SetTensorB(wGm);
  two.IterateAll(yGm[at]);
  two.End();
}
