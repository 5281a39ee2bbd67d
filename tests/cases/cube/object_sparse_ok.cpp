// Weights of which every four are stored as two, in blocks: all of their rows are brought, and A has no more of L1 than
// its rows of 16 need.
// launch: blocks=1 args=in:i8[1024],in:i8[1536],in:i32[96],out:i32[768]
// expect: clean
#include "kernel_operator.h"
#define ASCENDC_CUBE_ONLY
#include "lib/matmul_intf.h"
using namespace AscendC;

inline TCubeTiling Cut(int m, int n, int k) {
  TCubeTiling t;
  t.usedCoreNum = 1, t.M = m, t.N = n, t.Ka = t.Kb = k;
  t.singleCoreM = m, t.singleCoreN = n, t.singleCoreK = k;
  t.baseM = 16, t.baseN = 64, t.baseK = 512;
  t.stepM = t.stepN = 1, t.stepKa = t.stepKb = 8;
  t.depthA1 = t.depthB1 = 16, t.dbL0A = t.dbL0B = 2, t.dbL0C = 1;
  return t;
}
using Left = MatmulType<TPosition::GM, CubeFormat::ND, int8_t, false>;
using Right = SparseMatmulType<TPosition::GM, TPosition::GM, CubeFormat::NZ, int8_t, true>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, int32_t>;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR index, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<int8_t> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ int8_t *)x);
  yGm.SetGlobalBuffer((__gm__ int8_t *)y);
  GlobalTensor<uint8_t> indexGm;
  indexGm.SetGlobalBuffer((__gm__ uint8_t *)index);
  GlobalTensor<int32_t> zGm;
  zGm.SetGlobalBuffer((__gm__ int32_t *)z);
  TPipe pipe;
  TCubeTiling cut = Cut(16, 48, 64);
  MatmulImpl<Left, Right, Out, Out, CFG_MDL> product;
  product.SetSubBlockIdx(0);
  product.Init(&cut, &pipe);
  product.SetTensorA(xGm);
  product.SetTensorB(yGm, true);
  product.SetSparseIndex(indexGm);
  product.IterateAll(zGm);
  product.End();
}
