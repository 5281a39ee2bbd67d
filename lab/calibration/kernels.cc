#include "kernels.h"

#include "kernel_operator.h"

namespace akgen::calibration {
using namespace AscendC;

namespace {
struct AddStage {
  const AddLadder& s;
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in_x, in_y;
  TQue<QuePosition::VECOUT, 2> out;
  TBuf<TPosition::VECCALC> free;
  GlobalTensor<half> x, y, z;

  explicit AddStage(const AddLadder& shape) : s(shape) {
    pipe.InitBuffer(in_x, s.buffers, s.tile * sizeof(half));
    if (s.gap) pipe.InitBuffer(free, s.gap);
    pipe.InitBuffer(in_y, s.buffers, s.tile * sizeof(half));
    pipe.InitBuffer(out, s.buffers, s.tile * sizeof(half));
  }
  void Tile(uint64_t at, uint32_t n) {
    LocalTensor<half> a = in_x.AllocTensor<half>(), b = in_y.AllocTensor<half>();
    DataCopy(a, x[at], n);
    DataCopy(b, y[at], n);
    in_x.EnQue(a);
    in_y.EnQue(b);
    a = in_x.DeQue<half>();
    b = in_y.DeQue<half>();
    LocalTensor<half> c = out.AllocTensor<half>();
    if (s.scalar)
      for (uint32_t i = 0; i < n; ++i)
        c.SetValue(i, half(float(a.GetValue(i)) + float(b.GetValue(i))));
    else
      Add(c, a, b, n);
    out.EnQue(c);
    in_x.FreeTensor(a);
    in_y.FreeTensor(b);
    c = out.DeQue<half>();
    DataCopy(z[at], c, n);
    out.FreeTensor(c);
  }
};
}  // namespace

void RunAddLadder(const AddLadder& s, void* x, void* y, void* z) {
  AddStage stage(s);
  const uint64_t cores = GetBlockNum(), core = GetBlockIdx();
  const uint64_t first = s.rows * core / cores * s.columns,
                 end = s.rows * (core + 1) / cores * s.columns;
  stage.x.SetGlobalBuffer(static_cast<half*>(x));
  stage.y.SetGlobalBuffer(static_cast<half*>(y));
  stage.z.SetGlobalBuffer(static_cast<half*>(z));
  if (s.bypass) {
    stage.x.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    stage.y.SetL2CacheHint(
        CacheMode::CACHE_MODE_DISABLE);  // what is read once; the published example keeps z in L2
  }
  for (uint64_t at = first; at < end; at += s.tile)
    stage.Tile(at, uint32_t(end - at < s.tile ? end - at : s.tile));
}

void RunBankConflict(const BankConflict& c) {
  LocalTensor<float> dst(TPosition::VECCALC, c.dst, 4096), src0(TPosition::VECCALC, c.src0, 4096),
      src1(TPosition::VECCALC, c.src1, 4096);
  Duplicate(src0, 1.0f, 4096);
  Duplicate(src1, 1.0f, 4096);
  const BinaryRepeatParams strides(1, uint8_t(c.src0_block_stride), 1, 8,
                                   uint8_t(c.src0_repeat_stride), 8);
  for (uint32_t i = 0; i < c.times; ++i)
    Add(dst, src0, src1, uint64_t(64), uint8_t(c.repeats), strides);
}

void RunReadTiles(const ReadTiles& s, void* matrix) {
  LocalTensor<half> tile(TPosition::VECIN, 0, s.tile_rows * s.tile_columns);
  GlobalTensor<half> gm;
  gm.SetGlobalBuffer(static_cast<half*>(matrix));
  const uint32_t cores = GetBlockNum(), core = GetBlockIdx();
  const uint32_t down = s.rows / s.tile_rows,
                 across = (s.columns / s.column_parts + s.tile_columns - 1) / s.tile_columns;
  const uint32_t all = down * across;
  const uint32_t first = s.whole_on_each_core ? 0 : uint32_t(uint64_t(all) * core / cores);
  const uint32_t count =
      s.whole_on_each_core ? all : uint32_t(uint64_t(all) * (core + 1) / cores) - first;
  const uint32_t shift = s.staggered ? uint32_t(uint64_t(all) * core / cores) : 0;
  const DataCopyPadExtParams<half> none{false, 0, 0, half(0)};
  for (uint32_t part = 0; part < s.column_parts; ++part)
    for (uint32_t pass = 0; pass < s.passes; ++pass)
      for (uint32_t t = 0; t < count; ++t) {
        const uint32_t at = first + (t + shift) % count;
        const uint64_t row = uint64_t(at / across) * s.tile_rows,
                       column = (part * across + at % across) * s.tile_columns;
        const uint32_t left = s.columns - uint32_t(column),
                       width = left < s.tile_columns ? left : s.tile_columns;
        const DataCopyExtParams burst{uint16_t(s.tile_rows), uint32_t(width * sizeof(half)),
                                      uint32_t((s.row_pitch - width) * sizeof(half)), 0, 0};
        DataCopyPad(tile, gm[row * s.row_pitch + column], burst, none);
      }
}

}  // namespace akgen::calibration
