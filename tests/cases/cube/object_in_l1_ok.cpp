// Matrices that the kernel has brought to L1 itself, at A1 and B1: as high as what is multiplied, which is less than
// the whole matrix.
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
  t.baseM = 64, t.baseN = 48, t.baseK = 64;
  t.stepM = t.stepN = t.stepKa = t.stepKb = 1;
  t.depthA1 = t.depthB1 = 1, t.dbL0A = t.dbL0B = 2, t.dbL0C = 1;
  return t;
}
using Left = MatmulType<TPosition::A1, CubeFormat::NZ, half>;
using Right = MatmulType<TPosition::B1, CubeFormat::NZ, half>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, float>;

inline void Bring(const LocalTensor<half> &to, const GlobalTensor<half> &from, uint16_t rows, uint16_t columns) {
  DataCopy(to, from, Nd2NzParams(1, rows, columns, 0, columns, (rows + 15) / 16 * 16, 1, 0));
}

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  TPipe pipe;
  TBuf<TPosition::A1> l1;
  pipe.InitBuffer(l1, 512 * 1024);
  const LocalTensor<half> a = l1.Get<half>(), b = l1.Get<half>()[64 * 64];
  Bring(a, xGm, 40, 64);
  Bring(b, yGm, 64, 48);
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  TCubeTiling cut = Cut(64, 48, 64);
  MatmulImpl<Left, Right, Out> product;
  product.SetSubBlockIdx(0);
  product.Init(&cut, &pipe);
  product.SetSingleShape(40, 48, 64);
  product.SetTensorA(a);
  product.SetTensorB(b);
  product.IterateAll(zGm);
  product.End();
}
