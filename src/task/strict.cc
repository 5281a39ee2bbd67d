#include "task/strict.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <vector>

#include "task/element.h"
#include "task/near_ties.h"
#include "task/range_compare.h"

namespace akgen::task {
namespace {
using base::Dtype;

constexpr double kRelFloor = 1e-7;
constexpr double kMareFactor = 10;  // MARE threshold = 10 MERE thresholds
constexpr int64_t kFewBeyond =
    64;  // elements beyond the limit, or one of so many, that nudges are asked for
constexpr double kPeerFactor = 2;  // errors allowed for each error of the peer
constexpr double kFreeShare =
    0.001;  // errors allowed where the peer makes none: at most 2 and this share

bool SamePart(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b || (std::isfinite(a) && std::isfinite(b));
}

std::string Text(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", v);
  return text;
}

// Which way the distinct values of a tensor of 16-bit floats came out, each by its first element.
struct Leaning {
  int64_t values = 0, nearer = 0, further = 0, down = 0, up = 0;
  static bool OneWay(int64_t this_way, int64_t other_way, int64_t all) {
    constexpr int64_t kQuarter = 4, kHardly = 16;
    return kQuarter * this_way >= all && kHardly * other_way <= this_way;
  }
};
constexpr int64_t kLeastValues = 64;  // fewer may lean by chance

Leaning LeaningOf(Dtype d, std::span<const uint8_t> out, std::span<const uint8_t> ref, int64_t n) {
  Leaning lean;
  std::vector<bool> seen(1 << 16);
  for (int64_t i = 0; i < n; ++i) {
    const uint16_t bits = ReadElement<uint16_t>(ref.data(), i);
    if (seen[bits]) continue;
    seen[bits] = true;
    const double o = ElementAt(d, out.data(), i).value.real(),
                 r = ElementAt(d, ref.data(), i).value.real();
    if (!std::isfinite(o) || !std::isfinite(r) || r == 0) continue;
    ++lean.values;
    lean.nearer += std::fabs(o)<std::fabs(r), lean.further += std::fabs(o)> std::fabs(r);
    lean.down += o<r, lean.up += o> r;
  }
  return lean;
}

struct Few {
  int64_t count = 0;
  double largest = 0;
};
struct Errors {
  Few small, cancel;
  int64_t normal = 0;
  double sum = 0;  // of relative errors outside the two special domains
  int64_t count = 0;
};

template <Dtype dtype>
class Strict {
 public:
  Strict(const StrictLimits& l, std::span<const uint8_t> out, std::span<const uint8_t> ref,
         const StrictPeers& peers)
      : limits_(l),
        out_(out),
        ref_(ref),
        peer_(peers.own),
        beside_ties_(peers.beside_ties),
        nudges_(peers.nudges) {}

  StrictComparison Run(int64_t n) {
    Comparison& c = s_.result;
    c.elements = n;
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += First(i);
    double mere = n > c.non_finite ? sum / double(n) : 0;
    if (c.non_finite) {
      c.reason = std::to_string(c.non_finite) +
                 " NaN or infinite elements where the reference differs, first at " +
                 std::to_string(c.wrong.first()[0].index);
      return s_;
    }
    c.pass = mere < limits_.mere && c.max_rel < kMareFactor * limits_.mere;
    if (c.pass) {
      c.NoneWrong();
      CheckRounding(n);
      return s_;
    }
    c.reason = "mean relative error " + Text(mere) + " (limit " + Text(limits_.mere) +
               "), largest " + Text(c.max_rel) + " (limit " + Text(kMareFactor * limits_.mere) +
               ")";
    if (peer_.empty()) {
      s_.peer_may_excuse = true;
      return s_;
    }
    Excuse(n);
    return s_;
  }

 private:
  using V = decltype(ValueAt<dtype>(nullptr, 0));
  static constexpr bool kNarrow = dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16;
  static constexpr size_t kBytes = kNarrow ? 2 : dtype == Dtype::kFloat32 ? 4 : 8;

  double Relative(V v, V ref) const { return Size(v - ref) / (Size(ref) + kRelFloor); }
  bool Beyond(double rel) const { return !(rel <= kMareFactor * limits_.mere); }

  // Non-finite places and the tensor-wide numbers; gives the relative error.
  double First(int64_t i) {
    const size_t at = size_t(i) * kBytes;
    if (std::memcmp(out_.data() + at, ref_.data() + at, kBytes) == 0) return 0;
    Comparison& c = s_.result;
    const V o = ValueAt<dtype>(out_.data(), i), r = ValueAt<dtype>(ref_.data(), i);
    auto bad = [&] {
      const bool imaginary = std::real(o) == std::real(r);
      c.Wrong(i, imaginary ? std::imag(o) : std::real(o), imaginary ? std::imag(r) : std::real(r));
    };
    if (!Finite(o) || !Finite(r)) {
      if (SamePart(std::real(o), std::real(r)) && SamePart(std::imag(o), std::imag(r))) return 0;
      ++c.non_finite;
      if (c.non_finite == 1) c.NoneWrong();
      bad();
      return 0;
    }
    double d = Size(o - r), rel = Relative(o, r);
    c.max_abs = std::max(c.max_abs, d);
    c.max_rel = std::max(c.max_rel, rel);
    if (Beyond(rel) && c.non_finite == 0) bad();
    return rel;
  }

  // A tensor that passes may still have been rounded one way throughout.
  void CheckRounding(int64_t n) {
    if (!kNarrow || n < kLeastValues) return;
    const Leaning mine = LeaningOf(dtype, out_, ref_, n);
    if (mine.values < kLeastValues) return;
    const Leaning peer = peer_.empty() ? Leaning{} : LeaningOf(dtype, peer_, ref_, n);
    struct Way {
      int64_t Leaning::*this_way, Leaning::*other_way;
      const char* name;
    };
    for (const Way& w : {Way{&Leaning::nearer, &Leaning::further, "nearer to zero"},
                         Way{&Leaning::further, &Leaning::nearer, "further from zero"},
                         Way{&Leaning::down, &Leaning::up, "lower"},
                         Way{&Leaning::up, &Leaning::down, "higher"}}) {
      if (!Leaning::OneWay(mine.*w.this_way, mine.*w.other_way, mine.values)) continue;
      if (peer.values && kPeerFactor * double(peer.*w.this_way) >= double(mine.*w.this_way))
        continue;
      Comparison& c = s_.result;
      c.pass = false;
      c.mismatches = mine.*w.this_way;
      c.reason = "rounded one way: of " + std::to_string(mine.values) + " distinct values " +
                 std::to_string(mine.*w.this_way) + " are " + w.name + " than the reference and " +
                 std::to_string(mine.*w.other_way) +
                 " the other way; results are to be rounded to nearest";
      s_.peer_may_excuse = peer_.empty();
      return;
    }
  }

  // `peer`: what it makes of the element, where that may excuse it.
  void Tally(Errors& e, V v, V ref, std::optional<V> peer) const {
    const double rel = Finite(v) ? Relative(v, ref) : HUGE_VAL,
                 d = Finite(v) ? Size(v - ref) : HUGE_VAL;
    const bool peer_beyond = peer && (!Finite(*peer) || Beyond(Relative(*peer, ref)));
    auto add = [&](Few& few, bool wrong) {
      if (wrong) ++few.count, few.largest = std::max(few.largest, d);
    };
    if (Size(ref) < limits_.small) {
      const bool excused = kNarrow && peer_beyond && !(Size(*peer - ref) <= limits_.small_abs);
      add(e.small, !excused && !(d <= limits_.small_abs) && Beyond(rel));
    } else if (Size(v) < limits_.cancel && Size(ref) < limits_.cancel) {
      add(e.cancel, !(kNarrow && peer_beyond) && Beyond(rel));
    } else {
      ++e.count;
      if (peer_beyond) return;
      e.sum += std::min(rel, 1e6);
      e.normal += Beyond(rel);
    }
  }

  // In half and bfloat16 nothing is free, and no error is far larger than the peer's.
  bool Allowed(const Few& mine, const Few& peer, int64_t n) const {
    const double free = kNarrow ? 0 : std::min(2.0, kFreeShare * double(n));
    return double(mine.count) <= std::max(kPeerFactor * double(peer.count), free) &&
           (!kNarrow || mine.largest <= kPeerFactor * peer.largest);
  }

  void Excuse(int64_t n) {
    const std::string limits = s_.result.reason;
    const Errors mine = Excused(n, {});
    if (s_.result.pass || dtype != Dtype::kFloat32 || !nudges_) return;
    const int64_t beyond = mine.normal + mine.small.count + mine.cancel.count;
    if (beyond > std::max(kFewBeyond, n / kFewBeyond)) return;
    const StrictNudges nudges = nudges_();
    if (nudges.moved.empty() || nudges.less.empty()) return;
    s_.result.reason = limits;
    Excused(n, nudges);
  }

  // Whether float32 arithmetic cannot tell what an element is. A reference that jumps also does for
  // the small change.
  bool Undecided(const StrictNudges& nudges, int64_t i, V o, V r) const {
    double moved = 0;
    for (const auto& bytes : nudges.moved) {
      const V v = ValueAt<dtype>(bytes.data(), i);
      if (!Finite(v)) return false;
      moved = std::max(moved, Size(v - r));
    }
    const V less = ValueAt<dtype>(nudges.less.data(), i);
    return Finite(less) && Size(less - r) <= moved / 2 && Size(o - r) <= kSteep * moved;
  }

  // Whether float32 decides to which integer something was rounded on the way.
  bool IsBesideTie(int64_t i, V o, V r) const {
    return Finite(o) && Beyond(Relative(o, r)) &&
           std::any_of(beside_ties_.begin(), beside_ties_.end(), [&](const auto& bytes) {
             const V v = ValueAt<dtype>(bytes.data(), i);
             return Finite(v) && !Beyond(Relative(o, v));
           });
  }

  Errors Excused(int64_t n, const StrictNudges& nudges) {
    Errors mine, peer;
    for (int64_t i = 0; i < n; ++i) {
      const V o = ValueAt<dtype>(out_.data(), i), r = ValueAt<dtype>(ref_.data(), i),
              p = ValueAt<dtype>(peer_.data(), i);
      if (!Finite(r) || IsBesideTie(i, o, r)) continue;
      if (!nudges.moved.empty() && Finite(o) && Beyond(Relative(o, r)) &&
          Undecided(nudges, i, o, r))
        continue;
      Tally(mine, o, r, p);
      Tally(peer, p, r, std::nullopt);
    }
    Comparison& c = s_.result;
    double mean = mine.count ? mine.sum / double(mine.count) : 0,
           peer_mean = peer.count ? peer.sum / double(peer.count) : 0;
    if (mine.normal)
      c.reason +=
          "; " + std::to_string(mine.normal) +
          " elements are beyond it where the same computation in the case's own precision is not";
    else if (!Allowed(mine.small, peer.small, n))
      c.reason += "; " + std::to_string(mine.small.count) + " wrong small values, " +
                  std::to_string(peer.small.count) + " in the case's own precision";
    else if (!Allowed(mine.cancel, peer.cancel, n))
      c.reason += "; " + std::to_string(mine.cancel.count) + " wrong values after cancellation, " +
                  std::to_string(peer.cancel.count) + " in the case's own precision";
    else if (!(mean < limits_.mere) && !(mean <= kPeerFactor * peer_mean))
      c.reason += "; in the case's own precision the mean is " + Text(peer_mean);
    else {
      c.pass = true;
      c.NoneWrong();
      c.reason.clear();
      CheckRounding(n);
    }
    return mine;
  }

  const StrictLimits& limits_;
  std::span<const uint8_t> out_, ref_, peer_;
  const std::vector<std::span<const uint8_t>>& beside_ties_;
  const std::function<StrictNudges()>& nudges_;
  StrictComparison s_;
};

// A floating tensor with the reference in place of those rounded numbers of which float32
// arithmetic decides.
std::vector<uint8_t> Decided(Dtype d, std::span<const uint8_t> out, std::span<const uint8_t> ref,
                             const StrictPeers& peers) {
  std::vector<uint8_t> made(out.begin(), out.end());
  const NearTies ties(peers.before_rounding, peers.before_rounding_single);
  const size_t size = size_t(base::SizeOf(d));
  for (size_t i = 0; i < out.size() / size; ++i) {
    const double o = ElementAt(d, out.data(), int64_t(i)).value.real(),
                 r = ElementAt(d, ref.data(), int64_t(i)).value.real();
    if (std::fabs(o - r) == 1 && std::nearbyint(r) == r && ties.Decides(int64_t(i), o, r))
      std::memcpy(made.data() + i * size, ref.data() + i * size, size);
  }
  return made;
}

// Integers: exact, but for neighbours that a peer or a tie excuses.
StrictComparison CompareWhole(bool rounded, Dtype d, int64_t n, std::span<const uint8_t> out,
                              std::span<const uint8_t> ref, const StrictPeers& peers) {
  StrictComparison s;
  Comparison& c = s.result;
  c.elements = n;
  const NearTies ties(peers.before_rounding, peers.before_rounding_single);
  auto same = [&](std::span<const uint8_t> peer, int64_t i, const Element& o) {
    return !peer.empty() && ElementAt(d, peer.data(), i).bits == o.bits;
  };
  int64_t neighbours = 0;
  for (int64_t i = 0; i < n; ++i) {
    Element o = ElementAt(d, out.data(), i), r = ElementAt(d, ref.data(), i);
    if (o.bits == r.bits) continue;
    const double distance = std::fabs(o.value.real() - r.value.real());
    c.max_abs = std::max(c.max_abs, distance);
    c.max_rel = std::max(c.max_rel, distance / (std::fabs(r.value.real()) + kRelFloor));
    const bool neighbour =
        uint64_t(o.bits) - uint64_t(r.bits) == 1 || uint64_t(r.bits) - uint64_t(o.bits) == 1;
    if (rounded && neighbour &&
        (same(peers.single, i, o) || same(peers.own, i, o) ||
         ties.Decides(i, o.value.real(), r.value.real())))
      continue;
    neighbours += neighbour;
    c.Wrong(i, o.value.real(), r.value.real());
  }
  c.pass = c.mismatches == 0;
  if (c.pass) return s;
  c.reason = std::to_string(c.mismatches) + " of " + std::to_string(n) +
             " elements differ, first at " + std::to_string(c.wrong.first()[0].index);
  if (!rounded || neighbours != c.mismatches) return s;
  s.peer_may_excuse = !peers.any();
  if (peers.any())
    c.reason += ", by one step where float32 arithmetic does not decide" +
                ties.Before(c.wrong.first()[0].index);
  return s;
}
}  // namespace

std::optional<StrictLimits> StrictLimitsFor(Dtype d) {
  auto two = [](int e) { return std::ldexp(1.0, e); };
  if (d == Dtype::kFloat16) return StrictLimits{two(-10), two(-11), two(-16), two(-5)};
  if (d == Dtype::kBfloat16) return StrictLimits{two(-7), two(-8), two(-16), two(-3)};
  if (base::IsFloating(d) || d == Dtype::kComplex64)
    return StrictLimits{two(-13), two(-14), two(-30), two(-8)};
  return std::nullopt;
}

StrictComparison CompareStrict(bool rounded, const TensorDesc& out_desc,
                               std::span<const uint8_t> out, const TensorDesc& ref_desc,
                               std::span<const uint8_t> ref, const StrictPeers& peers) {
  StrictComparison s;
  s.result.elements = ref_desc.Numel();
  if (out_desc.dtype != ref_desc.dtype || out_desc.shape != ref_desc.shape ||
      out.size() != ref.size() || out.size() != ref_desc.Bytes()) {
    s.result.reason = "dtype, shape or size of the output is not that of the reference";
    return s;
  }
  if (out.empty() || std::memcmp(out.data(), ref.data(), out.size()) == 0) {
    s.result.pass = true;
    return s;
  }
  if (auto limits = StrictLimitsFor(ref_desc.dtype)) {
    std::vector<uint8_t> decided;
    if (!peers.before_rounding.empty()) out = decided = Decided(ref_desc.dtype, out, ref, peers);
    const auto run = [&](auto strict) { return strict.Run(ref_desc.Numel()); };
    switch (ref_desc.dtype) {
      case Dtype::kFloat16: return run(Strict<Dtype::kFloat16>(*limits, out, ref, peers));
      case Dtype::kBfloat16: return run(Strict<Dtype::kBfloat16>(*limits, out, ref, peers));
      case Dtype::kFloat32: return run(Strict<Dtype::kFloat32>(*limits, out, ref, peers));
      case Dtype::kComplex64: return run(Strict<Dtype::kComplex64>(*limits, out, ref, peers));
      default: return run(Strict<Dtype::kFloat64>(*limits, out, ref, peers));
    }
  }
  return CompareWhole(rounded, ref_desc.dtype, ref_desc.Numel(), out, ref, peers);
}

StrictComparison CompareStrict(bool rounded, const TensorDesc& out_desc,
                               std::span<const uint8_t> out, const TensorDesc& ref_desc,
                               std::span<const uint8_t> ref, std::span<const uint8_t> peer) {
  StrictPeers peers;
  peers.own = peer;
  return CompareStrict(rounded, out_desc, out, ref_desc, ref, peers);
}

}  // namespace akgen::task
