// Buffers of UB come after the Matmul object, which is registered first.
// launch: blocks=1 args=in:f16[4096],in:f16[4096],out:f16[4096]
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

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR w, GM_ADDR y) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GlobalTensor<half> xGm, wGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  wGm.SetGlobalBuffer((__gm__ half *)w);
  yGm.SetGlobalBuffer((__gm__ half *)y);
  TPipe pipe;
  TCubeTiling cut = Cut(32, 64, 64);
  Matmul<Half, Half, Half> product;
  TBuf<TPosition::VECCALC> buffer;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
  pipe.InitBuffer(buffer, 4096);
  const int at = GetBlockIdx() * 32 * 64;  // rows of this core
  product.SetTensorA(xGm[at]);
  product.SetTensorB(wGm);
  product.IterateAll(yGm[at]);
  product.End();
  LocalTensor<half> rows = buffer.Get<half>();
  DataCopy(rows, yGm[at], 2048);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Relu(rows, rows, 2048);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm[at], rows, 2048);
}
