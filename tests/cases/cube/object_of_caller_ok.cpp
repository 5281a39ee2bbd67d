// In a kernel for both kinds of cores, MatmulImpl is the Cube core's own; the Vector cores go on with its result.
// launch: blocks=1 args=in:f16[4096],in:f16[3072],out:f32[3072],out:f32[3072]
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
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  TPipe pipe;
  TCubeTiling cut = Cut(64, 48, 64);
  if ASCEND_IS_AIC {
    MatmulImpl<Left, Right, Out> product;
    product.SetSubBlockIdx(0);
    product.Init(&cut, &pipe);
    product.SetTensorA(xGm);
    product.SetTensorB(yGm);
    product.IterateAll(zGm);
    product.End();
    CrossCoreSetFlag<2, PIPE_FIX>(3);
  } else {
    CrossCoreWaitFlag(3);
    const uint32_t first = 1536 * GetSubBlockIdx();
    GlobalTensor<float> wGm;
    wGm.SetGlobalBuffer((__gm__ float *)w);
    TBuf<QuePosition::VECCALC> buf;
    pipe.InitBuffer(buf, 1536 * sizeof(float));
    LocalTensor<float> t = buf.Get<float>();
    DataCopy(t, zGm[first], 1536);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(t, t, 2.0f, 1536);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(wGm[first], t, 1536);
  }
}
