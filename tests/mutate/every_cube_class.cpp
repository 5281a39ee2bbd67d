// Parameters of the Cube core's instructions as kernels write them: fields one by one, in braces of a variable, of a call.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  GlobalTensor<half> xGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  LocalTensor<half> a1(TPosition::A1, 0, 256), a2(TPosition::A2, 0, 256), b2(TPosition::B2, 0, 256);
  LocalTensor<float> c(TPosition::CO1, 0, 256);
  if ASCEND_IS_AIC {
    DataCopy(a1, xGm, Nd2NzParams{1, 16, 16, 0, 16, 16, 1, 0});
    LoadData2DParams load(0, 1, 1, 0, 0, false, 0);
    LoadData(a2, a1, load);
    MmadParams params;
    params.m = 16;
    params.n = params.k = 16;
    params.unitFlag = 3;
    Mmad(c, a2, b2, params);
    FixpipeParamsV220 out(16, 16, 16, 16, false);
    Fixpipe(zGm, c, out);
    CrossCoreSetFlag<2, PIPE_FIX>(3);
  }
}
