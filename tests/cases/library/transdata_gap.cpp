// What fills rows of 15 elements up to a DataBlock is invalid after TransData, and is copied out.
// launch: blocks=1 args=in:f16[600],out:f16[640]
// expect: AK1102
#include "kernel_operator.h"
using namespace AscendC;

constexpr TransDataConfig toFractal = {DataFormat::NCDHW, DataFormat::FRACTAL_Z_3D};
constexpr TransDataConfig fromFractal = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};
constexpr TransDataConfig toBlocks = {DataFormat::NCDHW, DataFormat::NDC1HWC0};
constexpr TransDataConfig fromBlocks = {DataFormat::NDC1HWC0, DataFormat::NCDHW};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<half> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ half *)x, 600);
  yGm.SetGlobalBuffer((__gm__ half *)y, 640);
  TPipe pipe;
  TBuf<QuePosition::VECCALC> plainBuf, blockedBuf, tmpBuf;
  pipe.InitBuffer(plainBuf, 640 * sizeof(half));
  pipe.InitBuffer(blockedBuf, 7680 * sizeof(half));
  pipe.InitBuffer(tmpBuf, 65536);
  LocalTensor<half> plain = plainBuf.Get<half>(), blocked = blockedBuf.Get<half>();
  LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>();
  // 2 x 20 x 1 x 3 x 5: 40 rows of 15, each filled up to a DataBlock.
  DataCopyPad(plain, xGm, DataCopyExtParams(40, 30, 0, 0, 0), DataCopyPadExtParams<half>(false, 0, 0, half(0)));
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  int32_t n = 2, c = 20, d = 1, h = 3, w = 5, c1 = 2, n1 = 1;
  Layout ncdhw = MakeLayout(MakeShape(n, c, d, h, w), MakeStride());
  Layout fractal = MakeLayout(MakeShape(d, c1, h, w, n1, 16, 16), MakeStride());
  TransDataParams<decltype(ncdhw), decltype(fractal)> there = {ncdhw, fractal};
  TransDataParams<decltype(fractal), decltype(ncdhw)> back = {fractal, ncdhw};
  TransData<toFractal>(blocked, plain, tmp, there);
  TransData<fromFractal>(plain, blocked, tmp, back);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(yGm, plain, 640);  // <-- AK1102
}
