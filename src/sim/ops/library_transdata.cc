// TransData: channels, and batches, in blocks of 16.
#include "akgen/data_format.h"
#include "sim/ops/library.h"

namespace akgen::sim {
namespace {
constexpr uint32_t kOfBlock = 16, kSize = 2;

// Where element i of H x W of depth d, channel c and batch n lies. Rows of NCDHW begin at
// DataBlocks.
struct Volume {
  size_t n, c, d, hw;
  bool fractal;
  size_t Row() const { return UpTo(uint32_t(hw), kOfBlock); }
  size_t Channels() const { return UpTo(uint32_t(c), kOfBlock); }
  size_t Batches() const { return fractal ? UpTo(uint32_t(n), kOfBlock) : n; }
  size_t Plain(size_t in, size_t ic, size_t id, size_t i) const {
    return ((in * c + ic) * d + id) * Row() + i;
  }
  size_t Blocked(size_t in, size_t ic, size_t id, size_t i) const {
    const size_t c1 = ic / kOfBlock, c0 = ic % kOfBlock, all_c1 = Channels() / kOfBlock;
    return fractal ? (((id * all_c1 + c1) * hw + i) * Batches() + in) * kOfBlock + c0
                   : (((in * d + id) * all_c1 + c1) * hw + i) * kOfBlock + c0;
  }
  template <class F>
  void Each(size_t batches, size_t channels, size_t row, F f) const {
    for (size_t in = 0; in < batches; ++in)
      for (size_t ic = 0; ic < channels; ++ic)
        for (size_t id = 0; id < d; ++id)
          for (size_t i = 0; i < row; ++i) f(in, ic, id, i);
  }
};

void RunTransData(VecMachine& machine, const AkgenVec& v) {
  Library call(machine, v);
  constexpr size_t kLimit = 1 << 20;  // more than any Unified Buffer holds
  const uint32_t depth = call.Low(2), plane = call.High(2);
  const bool to_blocks = v.mode == kNcdhwToFractal || v.mode == kNcdhwToBlocks,
             fractal = v.mode == kNcdhwToFractal || v.mode == kFractalToNcdhw;
  const Volume of{call.Low(1), call.High(1), depth, depth ? plane / depth : 0, fractal};
  const bool bounded = of.n <= kLimit && of.c <= kLimit && plane <= kLimit && of.n * of.c <= kLimit;
  const size_t plain = bounded ? of.n * of.c * of.d * of.Row() : 0,
               blocked = bounded ? of.Batches() * of.Channels() * plane : 0;
  if (v.flag || v.mode >= kNoTransData || plain == 0 || plain > kLimit || blocked > kLimit)
    return void(call.Broken("transdata_shape",
                            "the shapes of TransData do not belong together, or are empty",
                            "C1 and N1 are C and N over 16, rounded up; C0 and N0 are 16; the "
                            "other extents are alike"));
  const auto whole = [&](uint32_t i, size_t n) { return call.Operand(i, v.src_type, uint32_t(n)); };
  const Part y = whole(0, to_blocks ? blocked : plain), x = whole(1, to_blocks ? plain : blocked);
  call.Out(y);
  call.In(x);
  if (!call.Begin(TransDataTmp(TransDataKind(v.mode), uint32_t(of.n), uint32_t(of.c), depth,
                               uint32_t(of.hw))))
    return;
  const auto copy = [&](size_t to, size_t from) {
    std::memcpy(y.at + to * kSize, x.at + from * kSize, kSize);
    if (!call.AllDefined())
      machine.SetDefined(y.at + to * kSize, kSize, machine.Defined(x.at + from * kSize, kSize));
  };
  const auto fill = [&](size_t to, bool defined) {
    std::memset(y.at + to * kSize, 0, kSize);
    machine.SetDefined(y.at + to * kSize, kSize, defined);
  };
  if (to_blocks)
    of.Each(of.Batches(), of.Channels(), of.hw, [&](size_t in, size_t ic, size_t id, size_t i) {
      const size_t to = of.Blocked(in, ic, id, i);
      if (in < of.n && ic < of.c)
        copy(to, of.Plain(in, ic, id, i));
      else
        fill(to, true);
    });
  else
    of.Each(of.n, of.c, of.Row(), [&](size_t in, size_t ic, size_t id, size_t i) {
      const size_t to = of.Plain(in, ic, id, i);
      if (i < of.hw)
        copy(to, of.Blocked(in, ic, id, i));
      else
        fill(to, false);
    });
}
}  // namespace

OwnFn FindTransData(const AkgenVec& v) {
  return SizeOfType(v.src_type) == kSize ? RunTransData : nullptr;
}

}  // namespace akgen::sim
