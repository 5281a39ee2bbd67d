// launch: blocks=32 args=in:f16[16777216],in:f16[16777216],out:f16[16777216]
// z = x + y over 2^24 elements: the throughput benchmark of the simulator.
#include "kernel_operator.h"
using namespace AscendC;

constexpr uint32_t kPerBlock = 16777216 / 32;
constexpr uint32_t kTile = 8192;

extern "C" __global__ __aicore__ void add_fp16(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in_x, in_y;
  TQue<QuePosition::VECOUT, 2> out_z;
  GlobalTensor<half> xg, yg, zg;
  uint32_t first = GetBlockIdx() * kPerBlock;
  xg.SetGlobalBuffer((__gm__ half*)x + first, kPerBlock);
  yg.SetGlobalBuffer((__gm__ half*)y + first, kPerBlock);
  zg.SetGlobalBuffer((__gm__ half*)z + first, kPerBlock);
  pipe.InitBuffer(in_x, 2, kTile * sizeof(half));
  pipe.InitBuffer(in_y, 2, kTile * sizeof(half));
  pipe.InitBuffer(out_z, 2, kTile * sizeof(half));
  for (uint32_t at = 0; at < kPerBlock; at += kTile) {
    LocalTensor<half> a = in_x.AllocTensor<half>();
    LocalTensor<half> b = in_y.AllocTensor<half>();
    DataCopy(a, xg[at], kTile);
    DataCopy(b, yg[at], kTile);
    in_x.EnQue(a);
    in_y.EnQue(b);
    a = in_x.DeQue<half>();
    b = in_y.DeQue<half>();
    LocalTensor<half> c = out_z.AllocTensor<half>();
    Add(c, a, b, kTile);
    out_z.EnQue(c);
    in_x.FreeTensor(a);
    in_y.FreeTensor(b);
    c = out_z.DeQue<half>();
    DataCopy(zg[at], c, kTile);
    out_z.FreeTensor(c);
  }
}
