// Kernels that stand for operators on tokens: few bytes, few cores, much work of the scalar unit.
#include <algorithm>

#include "standin_parts.h"
#include "standins.h"

namespace akgen::calibration {
namespace {
// Where the arguments lie.
constexpr uint64_t kScales = kBetween / 2, kCounts = kBetween / 4 * 3, kOut = kBetween,
                   kScalesOut = kBetween / 2 * 3, kPlaces = kBetween / 4 * 7,
                   kCountsOut = 2 * kBetween;

// Runs of one rank, by `Count` elements of the table of counts.
template <typename Count>
class Rerouter {
 public:
  Rerouter(const Rerouting& r, uint8_t* memory) : r_(r), memory_(memory) {
    counts_.SetGlobalBuffer(reinterpret_cast<Count*>(memory + kCounts));
    sums_.SetGlobalBuffer(reinterpret_cast<Count*>(memory + kCountsOut));
    tile_ = std::min((kUb + 4096) / 2 / (r.bytes + 8), r.rows);
    pipe_.InitBuffer(tokens_, 2, UpTo(uint64_t(tile_) * r.bytes, 32) + UpTo(tile_ * 4, 32));
    pipe_.InitBuffer(places_, 2, UpTo(tile_ * 4, 32));
  }

  void Rank(uint32_t rank) {
    Count begin = 0;  // read, and known without it: every run is as long
    for (uint32_t before = 0; before < rank; ++before)
      for (uint32_t e = 0; e < r_.experts; ++e) begin += At(before, e);
    for (uint32_t e = 0; e < r_.experts; ++e) {
      (void)At(rank, e);
      for (uint32_t other = 0; other < rank; ++other) (void)At(other, e);
      const uint64_t from = (uint64_t(rank) * r_.experts + e) * r_.rows,
                     to = (uint64_t(e) * r_.ranks + rank) * r_.rows;
      for (uint32_t at = 0; at < r_.rows; at += tile_)
        Move(from + at, to + at, std::min(tile_, r_.rows - at));
      for (uint32_t other = rank; other < r_.ranks; ++other) (void)At(other, e);
    }
    if (rank == 0) Sum();
  }

 private:
  Count At(uint32_t rank, uint32_t expert) { return counts_.GetValue(rank * r_.experts + expert); }

  void Move(uint64_t from, uint64_t to, uint32_t rows) {
    const uint32_t bytes = rows * r_.bytes, behind = UpTo(bytes, 32);
    LocalTensor<int8_t> x = tokens_.AllocTensor<int8_t>();
    In(x, memory_ + from * r_.bytes, 1, bytes);
    if (r_.scales) In(x[behind], memory_ + kScales + from * 4, 1, rows * 4);
    tokens_.EnQue(x);
    LocalTensor<int32_t> places = places_.AllocTensor<int32_t>();
    CreateVecIndex(places, int32_t(from), rows);
    places_.EnQue(places);
    places = places_.DeQue<int32_t>();
    Out(memory_ + kPlaces + to * 4, places, 1, rows);
    places_.FreeTensor(places);
    x = tokens_.DeQue<int8_t>();
    Out(memory_ + kOut + to * r_.bytes, x, 1, bytes);
    if (r_.scales) Out(memory_ + kScalesOut + to * 4, x[behind], 1, rows * 4);
    tokens_.FreeTensor(x);
  }

  // Tokens of each expert, over all ranks.
  void Sum() {
    for (uint32_t e = 0; e < r_.experts; ++e) sums_.SetValue(e, 0);
    for (uint32_t rank = 0; rank < r_.ranks; ++rank)
      for (uint32_t e = 0; e < r_.experts; ++e) sums_.SetValue(e, sums_.GetValue(e) + At(rank, e));
  }

  const Rerouting& r_;
  uint8_t* memory_;
  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 1> tokens_;
  TQue<QuePosition::VECOUT, 1> places_;
  GlobalTensor<Count> counts_, sums_;
  uint32_t tile_;  // rows
};

template <typename Count>
void Reroute(const Rerouting& r, uint8_t* memory) {
  Rerouter<Count> router(r, memory);
  for (uint32_t rank = uint32_t(GetBlockIdx()); rank < r.ranks; rank += uint32_t(GetBlockNum()))
    router.Rank(rank);
}

// The scalar unit's values are there when the vector unit goes on.
void HandToVector() {
  SetFlag<HardEvent::S_V>(EVENT_ID0);
  WaitFlag<HardEvent::S_V>(EVENT_ID0);
}

// x := softmax of rows of 8, each in a DataBlock; a, b: scratch.
void ShortSoftmax(const LocalTensor<float>& x, const LocalTensor<float>& a,
                  const LocalTensor<float>& b, uint32_t rows) {
  const uint32_t n = rows * 8;
  BlockReduceMax(a, x, 1, int32_t(n), 1, 1, 8);
  PipeBarrier<PIPE_V>();
  Brcb(b, a, 1, {1, 8});
  PipeBarrier<PIPE_V>();
  Sub(x, x, b, n);
  PipeBarrier<PIPE_V>();
  Exp(x, x, n);
  PipeBarrier<PIPE_V>();
  BlockReduceSum(a, x, 1, int32_t(n), 1, 1, 8);
  PipeBarrier<PIPE_V>();
  Brcb(b, a, 1, {1, 8});
  PipeBarrier<PIPE_V>();
  Div(x, x, b, n);
  PipeBarrier<PIPE_V>();
}

// 0, 1, … 31 in the first 32 elements, and again for every row.
void Numbers(const LocalTensor<int32_t>& to, uint32_t rows) {
  SetFlag<HardEvent::V_S>(EVENT_ID0);
  WaitFlag<HardEvent::V_S>(EVENT_ID0);
  for (int32_t i = 0; i < 8; ++i) to.SetValue(uint32_t(i), i);
  HandToVector();
  for (int32_t i = 1; i < 4; ++i) Adds(to[uint32_t(i) * 8], to, i * 8, 8);
  PipeBarrier<PIPE_V>();
  if (rows > 1) Copy(to[32], to, uint64_t(32), uint8_t(rows - 1), {1, 1, 4, 0});
  PipeBarrier<PIPE_V>();
}
}  // namespace

void RunRerouting(const Rerouting& r, uint8_t* memory) {
  r.count_bytes == 8 ? Reroute<int64_t>(r, memory) : Reroute<int32_t>(r, memory);
}

void RunGatingTopK(const GatingTopK& g, uint8_t* memory) {
  const Part mine(g.rows);
  const uint32_t rows = uint32_t(mine.end - mine.first), n = rows * 8, room = rows * 32 * 4;
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> gates;
  TQue<QuePosition::VECOUT, 1> best, sources;
  TBuf<TPosition::VECCALC> patterns, scratch;
  pipe.InitBuffer(gates, 2, room);
  pipe.InitBuffer(best, 1, 2 * room);
  pipe.InitBuffer(sources, 1, rows * 32);
  pipe.InitBuffer(patterns, 96);
  pipe.InitBuffer(scratch, 3 * room + 256);
  LocalTensor<half> x = gates.AllocTensor<half>();
  In(x, memory + mine.first * g.columns * 2, 1, rows * g.columns);
  gates.EnQue(x);
  LocalTensor<uint32_t> pattern = patterns.Get<uint32_t>();
  for (uint32_t i : {0u, 1u, 8u, 9u, 16u}) pattern.SetValue(i, i < 8 ? 5 : 10);
  HandToVector();
  x = gates.DeQue<half>();
  LocalTensor<float> f = scratch.Get<float>(), a = f[rows * 64], b = f[rows * 64 + 32];
  LocalTensor<float> values = best.AllocTensor<float>(), wide = values;
  LocalTensor<int32_t> numbers = values[rows * 32].ReinterpretCast<int32_t>();
  Cast(f, x, RoundMode::CAST_NONE, n);
  PipeBarrier<PIPE_V>();
  ShortSoftmax(f, a, b, rows);
  DataCopy(wide, f, {uint16_t(rows), 1, 0, 3});
  PipeBarrier<PIPE_V>();
  uint64_t padding[2] = {0xffffff00, 0};
  Duplicate(wide, -1.0f, padding, uint8_t(rows), 1, 4);
  PipeBarrier<PIPE_V>();
  Numbers(numbers, rows);
  Sort32(f, wide, numbers.ReinterpretCast<uint32_t>(), int32_t(rows));
  PipeBarrier<PIPE_V>();
  gates.FreeTensor(x);
  LocalTensor<int32_t> source = sources.AllocTensor<int32_t>();
  for (uint32_t i = 0; i < rows * g.k; ++i) source.SetValue(i, int32_t(i));
  sources.EnQue(source);
  source = sources.DeQue<int32_t>();
  Out(memory + kPlaces + mine.first * g.k * 4, source, 1, rows * g.k);
  sources.FreeTensor(source);
  GatherMaskParams each{1, uint16_t(rows), 8, 0};
  uint64_t kept = 0;
  GatherMask(values, f, pattern, true, 64, each, kept);
  GatherMask(numbers, f.ReinterpretCast<int32_t>(), pattern[8], true, 64, each, kept);
  PipeBarrier<PIPE_V>();
  Cast(values.ReinterpretCast<half>(), values, RoundMode::CAST_NONE, rows * g.k);
  best.EnQue(values);
  values = best.DeQue<float>();
  Out(memory + kOut + mine.first * g.k * 2, values.ReinterpretCast<half>(), 1, rows * g.k);
  Out(memory + kOut + kBetween / 4 + mine.first * g.k * 4, numbers, 1, rows * g.k);
  best.FreeTensor(values);
}

}  // namespace akgen::calibration
