#include "task/range_compare.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "task/element.h"
#include "task/near_ties.h"
#include "task/strict.h"

namespace akgen::task {
namespace {
using base::Dtype;

constexpr double kRangeFactor = 10;  // as in the strict rule

bool SameNumber(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }
bool SameValue(std::complex<double> a, std::complex<double> b) {
  return SameNumber(a.real(), b.real()) && SameNumber(a.imag(), b.imag());
}

// Whether an integer of that dtype can hold the number, cut off.
bool Fits(Dtype d, double v) {
  if (d == Dtype::kBool) return true;
  const int bits = 8 * base::SizeOf(d);
  const bool is_signed =
      d == Dtype::kInt8 || d == Dtype::kInt16 || d == Dtype::kInt32 || d == Dtype::kInt64;
  const double end = std::ldexp(1, is_signed ? bits - 1 : bits), least = is_signed ? -end : 0;
  return v > least - 1 && v < end;
}

double LargestOf(Dtype d) {
  if (d == Dtype::kFloat16) return 65504;
  if (d == Dtype::kBfloat16) return 0x1.fep127;
  return d == Dtype::kFloat32 ? 0x1.fffffep127 : std::numeric_limits<double>::max();
}

class ElementRule {
 public:
  explicit ElementRule(Dtype d) : dtype_(d), limits_(StrictLimitsFor(d)) {}

  bool Right(std::span<const uint8_t> out, std::span<const uint8_t> ref, int64_t i) const {
    const Element o = ElementAt(dtype_, out.data(), i), r = ElementAt(dtype_, ref.data(), i);
    if (!limits_) return o.bits == r.bits;
    if (!Finite(o.value) || !Finite(r.value)) return SameValue(o.value, r.value);
    return Distance(o.value, r.value) <= Allowed(r.value);
  }

  // Whether the reference is so steep at element `i` that float32 arithmetic may end where `out`
  // does.
  bool Undecided(std::span<const uint8_t> out, std::span<const uint8_t> ref,
                 const std::vector<std::span<const uint8_t>>& nudged,
                 std::span<const uint8_t> nudged_less, int64_t i) const {
    auto at = [&](std::span<const uint8_t> bytes) {
      return ElementAt(dtype_, bytes.data(), i).value;
    };
    const auto o = at(out), r = at(ref), less = at(nudged_less);
    double moved = 0;
    bool above = r.real() > 0, below = r.real() < 0;
    for (const auto& bytes : nudged) {
      const auto n = at(bytes);
      above |= std::isinf(n.real()) && n.real() > 0, below |= std::isinf(n.real()) && n.real() < 0;
      // Between finite and not, and between infinity and NaN: infinity times what is 0 but for
      // roundings, beside another infinity.
      if (!Finite(n) && SameValue(o, n) && !SameValue(r, n)) return true;
      if (!Finite(r) && Finite(n) && Finite(o) && Distance(o, n) <= Size(n) / 8) return true;
      if (Finite(r) && Finite(n)) moved = std::max(moved, Distance(n, r));
    }
    // Infinity times what is 0 but for roundings.
    if (!Finite(o) && !Finite(r) && above && below) return true;
    if (!Finite(o) || !Finite(r) || !Finite(less)) return false;
    return Distance(less, r) <= moved / 2 && Distance(o, r) <= Allowed(r) + kSteep * moved;
  }

  // The same of an integer or a condition: one of the patterns gives what `out` says.
  bool UndecidedWhole(std::span<const uint8_t> out, std::span<const uint8_t> ref,
                      const std::vector<std::span<const uint8_t>>& noisy,
                      std::span<const uint8_t> noisy_less, int64_t i) const {
    return Right(noisy_less, ref, i) &&
           std::ranges::any_of(noisy, [&](const auto& one) { return Right(out, one, i); });
  }

  // Whether the result, `exact` in float64, does not fit the dtype. Of integers nothing is defined
  // then. A floating result is infinite then, or within what is allowed of it, and a kernel whose
  // terms overflow before may make it NaN or the other infinity.
  bool BeyondDtype(std::span<const uint8_t> out, std::span<const uint8_t> ref,
                   std::span<const uint8_t> exact, int64_t i) const {
    if (dtype_ == Dtype::kComplex64) return false;
    const double v = ReadElement<double>(exact.data(), i);
    if (!limits_) return !Fits(dtype_, v);
    const double largest = LargestOf(dtype_), o = ElementAt(dtype_, out.data(), i).value.real();
    if (!std::isfinite(v)) return false;
    if (std::fabs(v) > largest && std::copysign(1, v) * o > largest / 2 && std::isfinite(o))
      return true;  // saturated
    return std::fabs(v) + Allowed(v) > largest && !std::isfinite(o);
  }

 private:
  static double Distance(std::complex<double> a, std::complex<double> b) { return Size(a - b); }
  double Allowed(std::complex<double> ref) const {
    const double size = Size(ref);
    return size < limits_->small ? std::max(limits_->small_abs, kRangeFactor * limits_->mere * size)
                                 : kRangeFactor * limits_->mere * size;
  }

  Dtype dtype_;
  std::optional<StrictLimits> limits_;
};

// Takes out of `wrong` what the order of the terms of a sum decides.
void ExcuseCrowded(const ElementRule& range, Dtype d, std::span<const uint8_t> out,
                   std::span<const uint8_t> ref, const RangeExcuses& excuses,
                   std::vector<int64_t>& wrong) {
  const auto finite = [d](std::span<const uint8_t> bytes, int64_t i) {
    return Finite(ElementAt(d, bytes.data(), i).value);
  };
  const auto bytes = [&](const RangeExcuses::Bytes& ask) -> std::span<const uint8_t> {
    const auto got = ask ? ask() : std::nullopt;
    return got && got->size() == ref.size() ? *got : std::span<const uint8_t>();
  };
  const auto undecided = bytes(excuses.crowded);
  const auto any = [&](int64_t i) {
    return !undecided.empty() && !finite(undecided, i) && !range.Right(undecided, ref, i);
  };
  std::erase_if(wrong, [&](int64_t i) { return any(i) && !finite(out, i) && finite(ref, i); });
  if (std::ranges::none_of(wrong, any)) return;
  const auto lost = bytes(excuses.crowded_lost);
  for (const auto& other :
       {undecided, bytes(excuses.crowded_above), bytes(excuses.crowded_below), lost})
    if (!other.empty())
      std::erase_if(wrong, [&](int64_t i) { return any(i) && range.Right(out, other, i); });
  // Half of a number that is not normal may be lost before it is multiplied.
  if (!lost.empty())
    std::erase_if(wrong, [&](int64_t i) {
      const double o = ElementAt(d, out.data(), i).value.real(),
                   r = ElementAt(d, ref.data(), i).value.real();
      return any(i) && ElementAt(d, lost.data(), i).value == 0.0 && std::isfinite(r) &&
             o / r >= 0.5 && o / r <= 2;
    });
}

void AddMismatch(Comparison& c, Dtype d, std::span<const uint8_t> out, std::span<const uint8_t> ref,
                 int64_t i) {
  const auto o = ElementAt(d, out.data(), i).value, r = ElementAt(d, ref.data(), i).value;
  const bool imaginary = SameNumber(o.real(), r.real());
  c.non_finite += !Finite(o) || !Finite(r);
  if (Finite(o) && Finite(r)) {
    c.max_abs = std::max(c.max_abs, Size(o - r));
    c.max_rel = std::max(c.max_rel, Size(o - r) / (Size(r) + 1e-7));
  }
  c.Wrong(i, imaginary ? o.imag() : o.real(), imaginary ? r.imag() : r.real());
}
}  // namespace

Comparison CompareRange(const TensorDesc& out_desc, std::span<const uint8_t> out,
                        const TensorDesc& ref_desc, std::span<const uint8_t> ref,
                        const RangeExcuses& excuses) {
  Comparison c;
  c.elements = ref_desc.Numel();
  if (out_desc.dtype != ref_desc.dtype || out_desc.shape != ref_desc.shape ||
      out.size() != ref.size() || out.size() != ref_desc.Bytes()) {
    c.reason = "dtype, shape or size of the output is not that of the reference";
    return c;
  }
  const Dtype d = ref_desc.dtype;
  const ElementRule range(d);
  std::vector<int64_t> wrong;
  for (int64_t i = 0; i < c.elements; ++i)
    if (!range.Right(out, ref, i)) wrong.push_back(i);
  if (!wrong.empty() && excuses.peer)
    if (auto peer = excuses.peer(); peer && peer->size() == ref.size())
      std::erase_if(wrong, [&](int64_t i) { return !range.Right(*peer, ref, i); });
  const bool whole = !StrictLimitsFor(d);
  const auto decide = [&](const std::vector<RangeExcuses::Bytes>& moved,
                          const RangeExcuses::Bytes& moved_less) {
    if (wrong.empty() || !moved_less) return;
    std::vector<std::span<const uint8_t>> all;
    for (const auto& bytes : moved)
      if (auto one = bytes(); one && one->size() == ref.size()) all.push_back(*one);
    if (const auto less = moved_less(); less && less->size() == ref.size())
      std::erase_if(wrong, [&](int64_t i) {
        return whole ? range.UndecidedWhole(out, ref, all, *less, i)
                     : range.Undecided(out, ref, all, *less, i);
      });
  };
  if (!whole) decide(excuses.nudged, excuses.nudged_less);
  if (!wrong.empty() && excuses.exact)
    if (auto exact = excuses.exact(); exact && exact->size() == size_t(c.elements) * 8)
      std::erase_if(wrong, [&](int64_t i) { return range.BeyondDtype(out, ref, *exact, i); });
  if (!wrong.empty()) ExcuseCrowded(range, d, out, ref, excuses, wrong);
  decide(excuses.noisy, excuses.noisy_less);
  if (!wrong.empty() && excuses.unrounded && excuses.unrounded_single) {
    auto doubles = [&](const RangeExcuses::Bytes& ask) -> std::span<const double> {
      const auto bytes = ask();
      if (!bytes || bytes->size() != size_t(c.elements) * 8) return {};
      return {reinterpret_cast<const double*>(bytes->data()), size_t(c.elements)};
    };
    const NearTies ties(doubles(excuses.unrounded), doubles(excuses.unrounded_single));
    std::erase_if(wrong, [&](int64_t i) {
      const double o = ElementAt(d, out.data(), i).value.real(),
                   r = ElementAt(d, ref.data(), i).value.real();
      return std::fabs(o - r) == 1 && std::nearbyint(r) == r && ties.Decides(i, o, r);
    });
  }
  if (!wrong.empty() && excuses.converted_otherwise)
    if (auto other = excuses.converted_otherwise(); other && other->size() == ref.size())
      std::erase_if(wrong, [&](int64_t i) { return !range.Right(*other, ref, i); });
  for (const auto& moved : excuses.beside_ties) {
    if (wrong.empty() || !StrictLimitsFor(d)) break;
    if (const auto bytes = moved(); bytes && bytes->size() == ref.size())
      std::erase_if(wrong, [&](int64_t i) { return range.Right(out, *bytes, i); });
  }
  for (int64_t i : wrong) AddMismatch(c, d, out, ref, i);
  c.pass = wrong.empty();
  if (!c.pass)
    c.reason = std::to_string(c.mismatches) + " of " + std::to_string(c.elements) +
               " elements are wrong where the same computation in the case's own precision is "
               "right, first at " +
               std::to_string(c.wrong.first()[0].index);
  return c;
}

int64_t Telling(const TensorDesc& desc, std::span<const uint8_t> ref,
                std::span<const uint8_t> peer) {
  const ElementRule range(desc.dtype);
  int64_t n = 0;
  for (int64_t i = 0; i < desc.Numel(); ++i)
    n += Finite(ElementAt(desc.dtype, ref.data(), i).value) && range.Right(peer, ref, i);
  return n;
}

}  // namespace akgen::task
