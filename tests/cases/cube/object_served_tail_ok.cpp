// The second half has fewer rows, and says so.
// launch: blocks=1 args=in:f16[3840],in:f16[3072],out:f32[2880]
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

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  TPipe pipe;
  TCubeTiling cut = Cut(64, 48, 64);
  Matmul<Left, Right, Out> product;
  const TCubeTiling *__restrict tiling = &cut;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, tiling);
  const int half_of = GetBlockIdx() * 32;
  product.SetTail(min(60 - half_of, 32));
  product.SetTensorA(xGm[half_of * 64]);
  product.SetTensorB(yGm);
  product.IterateAll(zGm[half_of * 48]);
  product.End();
}
