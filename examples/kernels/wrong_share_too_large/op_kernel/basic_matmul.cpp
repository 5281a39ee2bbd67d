#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

using Half = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>;

extern "C" __global__ __aicore__ void basic_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(data, tiling);
  const TCubeTiling &cut = data.product;
  TPipe pipe;
  matmul::Matmul<Half, Half, Half> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
  // From here on this is the code of the Vector cores.
  const int32_t core = GetBlockIdx();
  if (core >= cut.usedCoreNum) {
    return;
  }
  const int32_t rows = (cut.M + cut.singleCoreM - 1) / cut.singleCoreM;
  const int32_t m = core % rows * cut.singleCoreM, n = core / rows * cut.singleCoreN;
  GlobalTensor<half> aGm, bGm, cGm;
  aGm.SetGlobalBuffer((__gm__ half *)a);
  bGm.SetGlobalBuffer((__gm__ half *)b);
  cGm.SetGlobalBuffer((__gm__ half *)c);
  product.SetTensorA(aGm[static_cast<uint64_t>(m) * cut.Ka]);
  product.SetTensorB(bGm[n]);
  product.IterateAll(cGm[static_cast<uint64_t>(m) * cut.N + n]);
  product.End();
}
