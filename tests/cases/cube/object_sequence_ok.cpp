// Blocks that are written in sequence lie without gaps: the rows of the last ones are as long as they have columns.
// launch: blocks=1 args=in:f16[2560],in:f16[3072],out:f32[1920]
// expect: clean
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
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

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  TPipe pipe;
  TCubeTiling cut = Cut(40, 48, 64);
  Matmul<Left, Right, Out> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
  product.SetTensorA(xGm);
  product.SetTensorB(yGm);
  const int size[] = {32 * 32, 8 * 32, 32 * 16, 8 * 16};
  for (int at = 0, block = 0; product.Iterate(); at += size[block++]) product.GetTensorC(zGm[at], 0, true);
  product.End();
}
