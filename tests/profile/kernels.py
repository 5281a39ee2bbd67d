"""Our own kernels in two forms: with a weakness, and with what `akgen profile` advises done by hand."""

TILES = r"""// launch: blocks={blocks} args=in:{t}[{room}],in:{t}[{room}],out:{t}[{room}]
#include "kernel_operator.h"
using namespace AscendC;
using T = {type};
constexpr uint32_t kTile = {tile}, kTiles = {tiles}, kFrom = {start};

class Kernel {{
 public:
  __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
    x_.SetGlobalBuffer((__gm__ T*)x);
    y_.SetGlobalBuffer((__gm__ T*)y);
    z_.SetGlobalBuffer((__gm__ T*)z);
    if ({bypass}) {{
      x_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
      y_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    }}
    pipe_.InitBuffer(inX_, {buffers}, kTile * sizeof(T));
    if ({gap}) pipe_.InitBuffer(gap_, {gap});
    pipe_.InitBuffer(inY_, {buffers}, kTile * sizeof(T));
    if ({gap}) pipe_.InitBuffer(gap2_, {gap});
    pipe_.InitBuffer(out_, {buffers}, kTile * sizeof(T));
    const uint32_t n = GetBlockNum(), b = GetBlockIdx();
    const uint32_t first = {first}, end = {end};
    for (uint32_t i = first; i < end; ++i) Tile(kFrom + uint64_t(i) * kTile);
  }}

 private:
  __aicore__ inline void Tile(uint64_t at) {{
    LocalTensor<T> a = inX_.AllocTensor<T>();
    DataCopy(a, x_[at], kTile);
    inX_.EnQue(a);
    LocalTensor<T> b = inY_.AllocTensor<T>();
    DataCopy(b, y_[at], kTile);
    inY_.EnQue(b);
    a = inX_.DeQue<T>();
    b = inY_.DeQue<T>();
    LocalTensor<T> c = out_.AllocTensor<T>();
    {compute}
    out_.EnQue(c);
    inX_.FreeTensor(a);
    inY_.FreeTensor(b);
    c = out_.DeQue<T>();
    DataCopy(z_[at], c, kTile);
    out_.FreeTensor(c);
  }}
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> inX_, inY_;
  TQue<QuePosition::VECOUT, 2> out_;
  TBuf<TPosition::VECCALC> gap_, gap2_;
  GlobalTensor<T> x_, y_, z_;
}};

extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z) {{
  Kernel k;
  k.Run(x, y, z);
}}
"""

BARRIERS = r"""// launch: blocks=8 args=in:f32[{room}],out:f32[{room}]
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kTile = 4096, kTiles = {tiles};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {{
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, kTile * 4);
  pipe.InitBuffer(out, kTile * 4);
  LocalTensor<float> a = in.Get<float>(), c = out.Get<float>();
  GlobalTensor<float> gx, gz;
  gx.SetGlobalBuffer((__gm__ float*)x);
  gz.SetGlobalBuffer((__gm__ float*)z);
  for (uint32_t i = GetBlockIdx(); i < kTiles; i += GetBlockNum()) {{
    DataCopy(a, gx[uint64_t(i) * kTile], kTile);
    PipeBarrier<PIPE_ALL>();
    Muls(c, a, 3.0f, kTile);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gz[uint64_t(i) * kTile], c, kTile);
    PipeBarrier<PIPE_ALL>();
  }}
}}
"""

QUEUES = r"""// launch: blocks=8 args=in:f32[{room}],out:f32[{room}]
#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kTile = 4096, kTiles = {tiles};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {{
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, kTile * 4);
  pipe.InitBuffer(out, 1, kTile * 4);
  GlobalTensor<float> gx, gz;
  gx.SetGlobalBuffer((__gm__ float*)x);
  gz.SetGlobalBuffer((__gm__ float*)z);
  for (uint32_t i = GetBlockIdx(); i < kTiles; i += GetBlockNum()) {{
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, gx[uint64_t(i) * kTile], kTile);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    Muls(c, a, 3.0f, kTile);
    in.FreeTensor(a);
    out.EnQue(c);
    c = out.DeQue<float>();
    DataCopy(gz[uint64_t(i) * kTile], c, kTile);
    out.FreeTensor(c);
  }}
}}
"""

PIECES = r"""// launch: blocks=8 args=in:f32[{room}],out:f32[{half}]
#include "kernel_operator.h"
using namespace AscendC;
// The first 64 of every 128 numbers, 32 rows a tile.
constexpr uint32_t kRows = 32, kWide = 64, kPitch = 128, kTiles = {tiles};
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR z) {{
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> in;
  TQue<QuePosition::VECOUT, 2> out;
  pipe.InitBuffer(in, 2, kRows * kWide * 4);
  pipe.InitBuffer(out, 2, kRows * kWide * 4);
  GlobalTensor<float> gx, gz;
  gx.SetGlobalBuffer((__gm__ float*)x);
  gz.SetGlobalBuffer((__gm__ float*)z);
  for (uint32_t i = GetBlockIdx(); i < kTiles; i += GetBlockNum()) {{
    LocalTensor<float> a = in.AllocTensor<float>();
    const uint64_t from = uint64_t(i) * kRows * kPitch;
    {copy}
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    Adds(c, a, 1.0f, kRows * kWide);
    in.FreeTensor(a);
    out.EnQue(c);
    c = out.DeQue<float>();
    DataCopy(gz[uint64_t(i) * kRows * kWide], c, kRows * kWide);
    out.FreeTensor(c);
  }}
}}
"""

TYPES = {"f16": "half", "f32": "float"}
EVEN = {"first": "kTiles * b / n", "end": "kTiles * (b + 1) / n"}


def tiles(**change):
    p = {"t": "f16", "blocks": 48, "tile": 8192, "tiles": 48 * 12, "start": 0, "bypass": 0, "buffers": 2, "gap": 256, "compute": "Add(c, a, b, kTile);", **EVEN}
    p.update(change)
    p["type"] = TYPES[p["t"]]
    p["room"] = p["start"] + p["tile"] * p["tiles"]
    return TILES.format(**p)


def pair(before, after):
    common = {k: v for k, v in before.items() if k not in after}
    return tiles(**before), tiles(**common, **after)


CHAIN = "Mul(c, a, b, kTile); Exp(c, c, kTile); Adds(c, c, T(1), kTile); Div(c, a, c, kTile);"
OFTEN = "for (int k = 0; k < 96; ++k) Add(c, a, b, kTile);"
SCALAR = "for (uint32_t i = 0; i < kTile; ++i) c.SetValue(i, T(float(a.GetValue(i)) + float(b.GetValue(i))));"
PIECE_ROOM = {"tiles": 48 * 16, "room": 48 * 16 * 32 * 128, "half": 48 * 16 * 32 * 64}
QUEUE_ROOM = {"tiles": 48 * 16, "room": 48 * 16 * 4096}

# name: (what is advised, before, after)
PAIRS = {
    "add_one_buffer": ("double_buffer", *pair({"buffers": 1, "blocks": 16}, {"buffers": 2})),
    "chain_one_buffer": ("double_buffer", *pair({"buffers": 1, "compute": CHAIN * 3, "t": "f32", "tile": 4096}, {"buffers": 2})),
    "mul_one_buffer": ("double_buffer", *pair({"buffers": 1, "blocks": 12, "compute": "Mul(c, a, b, kTile);", "t": "f32", "tile": 6144}, {"buffers": 2})),
    "add_small_tiles": ("larger_tiles", *pair({"tile": 1024, "tiles": 48 * 64}, {"tile": 8192, "tiles": 48 * 8})),
    "max_small_tiles": ("larger_tiles", *pair({"tile": 512, "tiles": 48 * 64, "t": "f32", "compute": "Max(c, a, b, kTile);"}, {"tile": 4096, "tiles": 48 * 8})),
    "sub_one_core": ("more_cores", *pair({"blocks": 1, "compute": "Sub(c, a, b, kTile);", "tile": 4096}, {"blocks": 48})),
    "chain_eight_cores": ("more_cores", *pair({"blocks": 8, "compute": CHAIN, "t": "f32", "tile": 4096, "tiles": 48 * 4}, {"blocks": 48})),
    "add_uneven": ("even_cores", *pair({"first": "b * (b - 1) / 2", "end": "b * (b + 1) / 2 < kTiles ? b * (b + 1) / 2 : kTiles", "tiles": 1128, "tile": 4096}, EVEN)),
    "add_ragged_start": ("aligned", *pair({"start": 16, "tile": 1024, "tiles": 48 * 96}, {"start": 0})),
    "add_in_conflict": ("apart_in_ub", *pair({"gap": 0, "compute": OFTEN, "tiles": 48 * 4}, {"gap": 256})),
    "add_through_l2": ("past_l2", *pair({"bypass": 0, "tiles": 48 * 128}, {"bypass": 1})),
    "add_by_scalar": ("vector_for_scalar", *pair({"compute": SCALAR, "tile": 1024, "tiles": 96}, {"compute": "Add(c, a, b, kTile);"})),
    "scale_by_barriers": ("flags_for_barriers", BARRIERS.format(**QUEUE_ROOM), QUEUES.format(**QUEUE_ROOM)),
    "rows_by_pieces": ("one_copy", PIECES.format(copy="for (uint32_t r = 0; r < kRows; ++r) DataCopy(a[r * kWide], gx[from + r * kPitch], kWide);", **PIECE_ROOM),
                       PIECES.format(copy="DataCopy(a, gx[from], DataCopyParams(kRows, kWide * 4 / 32, (kPitch - kWide) * 4 / 32, 0));", **PIECE_ROOM)),
}
