#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

using Half = matmul::MatmulType<TPosition::GM, CubeFormat::ND, half>;

extern "C" __global__ __aicore__ void batched_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(data, tiling);
  const TCubeTiling &cut = data.product;
  TPipe pipe;
  matmul::Matmul<Half, Half, Half> product;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &cut);
  // From here on this is the code of the Vector cores.
  if (GetBlockIdx() >= data.cores) {
    return;
  }
  const int32_t rows = (cut.M + cut.singleCoreM - 1) / cut.singleCoreM;
  const uint64_t of_a = static_cast<uint64_t>(cut.M) * cut.Ka, of_b = static_cast<uint64_t>(cut.Ka) * cut.N,
                 of_c = static_cast<uint64_t>(cut.M) * cut.N;
  GlobalTensor<half> aGm, bGm, cGm;
  aGm.SetGlobalBuffer((__gm__ half *)a);
  bGm.SetGlobalBuffer((__gm__ half *)b);
  cGm.SetGlobalBuffer((__gm__ half *)c);
  // A unit is a share of one of the products.
  for (int32_t unit = GetBlockIdx(); unit < data.batch * cut.usedCoreNum; unit += data.cores) {
    const uint64_t item = unit / cut.usedCoreNum;
    const int32_t share = unit % cut.usedCoreNum;
    const int32_t m = share % rows * cut.singleCoreM, n = share / rows * cut.singleCoreN;
    product.SetTail(min(cut.M - m, cut.singleCoreM), min(cut.N - n, cut.singleCoreN));
    product.SetTensorA(aGm[item * of_a + static_cast<uint64_t>(m) * cut.Ka]);
    product.SetTensorB(bGm[item * of_b + n]);
    product.IterateAll(cGm[item * of_c + static_cast<uint64_t>(m) * cut.N + n]);
  }
  product.End();
}
