// Every structure of parameters in braces and field by field, with other names, flags and
// instructions beside them.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {
  GlobalTensor<half> xGm;
  xGm.SetGlobalBuffer((__gm__ half *)x);
  GlobalTensor<float> zGm;
  zGm.SetGlobalBuffer((__gm__ float *)z);
  LocalTensor<half> a1(TPosition::A1, 0, 512), a2(TPosition::A2, 0, 512), b2(TPosition::B2, 0, 512);
  LocalTensor<float> c(TPosition::CO1, 0, 512);
  if ASCEND_IS_AIC {
    const uint16_t rows = 16, columns = 32;
    Nd2NzParams nd;
    nd.ndNum = 1;
    nd.nValue = rows;
    nd.dValue = columns;
    nd.srcDValue = nd.dValue;
    nd.dstNzC0Stride = (rows);
    DataCopy(a1, xGm, nd);
    LoadData2DParams some;
    some.startIndex = 1;
    some.repeatTimes = 2;
    some.srcStride = 3;
    some.dstGap = 4;
    some.ifTranspose = true;
    LoadData(a2, a1, some);
    LoadData2dTransposeParams squares(1, (uint8_t)2, 3, 4, 5);
    LoadDataWithTranspose(b2, a1, squares);
    LoadDataWithTranspose(b2, a1, LoadData2dTransposeParams{6, 7, 8, 9, 10});
    LoadData2dTransposeParams square;
    square.repeatTimes = 11;
    square.srcStride = 12;
    LoadDataWithTranspose(b2, a1, square);
    LoadData3DParamsV2<half> image;
    image.l1H = 1;
    image.l1W = rows;
    image.mExtension = rows;
    image.kExtension = columns;
    LoadData(a2, a1, image);
    MmadParams first(16, 17, 18, 3, false, true), second;
    Mmad(c, a2, b2, first);
    second.m = 19;
    second.n = 20;
    if (second.m == rows) second.k = 21;
    second.cmatrixInitVal = false;
    second.unitFlag = 0;
    second.unitFlag = 2;
    Mmad(c, a2, b2, second);
    Mmad(c, a2, b2, MmadParams(22, 23, 24, 2, false, rows > columns));
    FixpipeParamsV220 out;
    out.nSize = 25;
    out.mSize = 26;
    out.srcStride = 27;
    out.dstStride = 28;
    out.reluEn = false;
    out.unitFlag = 3;
    Fixpipe(zGm, c, out);
    Fixpipe(zGm, c, FixpipeParamsV220{29, 30, 31, 32, true});
    CrossCoreSetFlag<2, PIPE_MTE2>(1);
    CrossCoreSetFlag<2, PIPE_M>(2);
  }
}
