#include "guest/library.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

namespace akgen::guest {
namespace {

// A value in a float register and back.
template <typename T>
T FromBits(uint64_t bits) {
  T v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
uint64_t ToBits(double v) {
  if (v != v) return 0x7ff8000000000000;
  uint64_t bits;
  std::memcpy(&bits, &v, 8);
  return bits;
}
uint64_t ToBits(float v) {
  uint32_t bits = 0x7fc00000;
  if (v == v) std::memcpy(&bits, &v, 4);
  return bits | ~uint64_t{0xffffffff};
}

template <typename T, T (*kFunction)(T)>
bool Of1(Machine& m) {
  m.registers().SetFloatResult(ToBits(kFunction(FromBits<T>(m.registers().FloatArgument(0)))));
  return true;
}
template <typename T, T (*kFunction)(T, T)>
bool Of2(Machine& m) {
  m.registers().SetFloatResult(ToBits(kFunction(FromBits<T>(m.registers().FloatArgument(0)),
                                                FromBits<T>(m.registers().FloatArgument(1)))));
  return true;
}
// Of zeros the negative one is less, as the guest's own instructions have it; C leaves it open.
template <typename T>
T LesserOf(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <typename T>
T GreaterOf(T a, T b) {
  return -LesserOf(-a, -b);
}
template <typename T>
bool Fma(Machine& m) {
  m.registers().SetFloatResult(ToBits(std::fma(FromBits<T>(m.registers().FloatArgument(0)),
                                               FromBits<T>(m.registers().FloatArgument(1)),
                                               FromBits<T>(m.registers().FloatArgument(2)))));
  return true;
}
template <typename T>
bool Ldexp(Machine& m) {
  m.registers().SetFloatResult(ToBits(
      std::ldexp(FromBits<T>(m.registers().FloatArgument(0)), int(m.registers().Argument(0)))));
  return true;
}
// To an integer; a value beyond its range is the end of the range, as the guest's own conversions
// have it.
template <typename T, T (*kFunction)(T)>
bool ToLong(Machine& m) {
  const double v = double(kFunction(FromBits<T>(m.registers().FloatArgument(0))));
  constexpr double kBeyond = 9223372036854775808.0;
  m.registers().SetResult(v != v || v >= kBeyond ? ~uint64_t{0} >> 1
                          : v < -kBeyond         ? uint64_t{1} << 63
                                                 : uint64_t(int64_t(v)));
  return true;
}
// A second result goes through a pointer.
template <typename T>
bool Modf(Machine& m) {
  T whole;
  const T rest = std::modf(FromBits<T>(m.registers().FloatArgument(0)), &whole);
  uint8_t* out = m.Reach(m.registers().Argument(0), sizeof whole, true);
  if (!out) return false;
  std::memcpy(out, &whole, sizeof whole);
  m.registers().SetFloatResult(ToBits(rest));
  return true;
}
template <typename T>
bool Frexp(Machine& m) {
  int exponent = 0;
  const T rest = std::frexp(FromBits<T>(m.registers().FloatArgument(0)), &exponent);
  uint8_t* out = m.Reach(m.registers().Argument(0), sizeof exponent, true);
  if (!out) return false;
  std::memcpy(out, &exponent, sizeof exponent);
  m.registers().SetFloatResult(ToBits(rest));
  return true;
}
// bfloat16 without instructions for it: the upper half of a float, rounded to nearest even.
template <typename T>
bool NarrowToBfloat16(Machine& m) {
  const float v = float(FromBits<T>(m.registers().FloatArgument(0)));
  uint32_t bits;
  std::memcpy(&bits, &v, 4);
  const uint32_t rounded = v != v ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  m.registers().SetFloatResult(rounded | ~uint64_t{0xffff});
  return true;
}

// What a call costs of the instructions that its guest has left: one for each word.
void SpendOn(Machine& m, uint64_t bytes) { m.Spend(bytes / 8); }

bool Copy(Machine& m) {
  const uint64_t bytes = m.registers().Argument(2);
  if (bytes == 0) return true;
  const uint8_t* from = m.Reach(m.registers().Argument(1), bytes, false);
  uint8_t* to = from ? m.Reach(m.registers().Argument(0), bytes, true) : nullptr;
  if (!to) return false;
  std::memmove(to, from, bytes);
  SpendOn(m, bytes);
  return true;  // the result is the first argument, where it already is
}
bool Set(Machine& m) {
  const uint64_t bytes = m.registers().Argument(2);
  uint8_t* to = bytes ? m.Reach(m.registers().Argument(0), bytes, true) : nullptr;
  if (to) std::memset(to, int(m.registers().Argument(1)), bytes), SpendOn(m, bytes);
  return to || bytes == 0;
}
bool Compare(Machine& m) {
  const uint64_t bytes = m.registers().Argument(2);
  if (bytes == 0) return m.registers().SetResult(0), true;
  const uint8_t* a = m.Reach(m.registers().Argument(0), bytes, false);
  const uint8_t* b = a ? m.Reach(m.registers().Argument(1), bytes, false) : nullptr;
  if (!b) return false;
  const int order = std::memcmp(a, b, bytes);
  SpendOn(m, bytes);
  m.registers().SetResult(uint64_t(int64_t((order > 0) - (order < 0))));
  return true;
}
// Text is read byte by byte: where it ends is only known then.
bool Length(Machine& m) {
  for (uint64_t n = 0;; ++n) {
    const uint8_t* c = m.Reach(m.registers().Argument(0) + n, 1, false);
    if (!c) return false;
    m.Spend(1);
    if (!*c) return m.registers().SetResult(n), true;
  }
}
template <bool kBounded>
bool CompareText(Machine& m) {
  const uint64_t most = kBounded ? m.registers().Argument(2) : ~uint64_t{0};
  int order = 0;
  for (uint64_t n = 0; n < most && order == 0; ++n) {
    const uint8_t* a = m.Reach(m.registers().Argument(0) + n, 1, false);
    const uint8_t* b = a ? m.Reach(m.registers().Argument(1) + n, 1, false) : nullptr;
    if (!b) return false;
    m.Spend(1);
    order = int(*a) - int(*b);
    if (!*a) break;
  }
  m.registers().SetResult(uint64_t(int64_t(order)));
  return true;
}
// The chip has no heap. What it would give is an address that belongs to nobody, so that its use is
// the fault and not its creation; each block of memory has one of its own.
bool Allocate(Machine& m) {
  m.registers().SetResult(kNoHeapBase + (m.executed() & 0xffffff) * 16);
  return true;
}
bool Nothing(Machine& m) {
  m.registers().SetResult(0);
  return true;
}
bool Ends(Machine& m) { return m.Fail(Fault::Kind::kBreak); }

using Rows = std::map<std::string, LibraryFunction, std::less<>>;

void AddMathematics(Rows* rows) {
#define AKGEN_1(name) \
  (*rows)[#name] = Of1<double, ::name>, (*rows)[#name "f"] = Of1<float, ::name##f>
#define AKGEN_2(name) \
  (*rows)[#name] = Of2<double, ::name>, (*rows)[#name "f"] = Of2<float, ::name##f>
  AKGEN_1(sin);
  AKGEN_1(cos);
  AKGEN_1(tan);
  AKGEN_1(asin);
  AKGEN_1(acos);
  AKGEN_1(atan);
  AKGEN_1(sinh);
  AKGEN_1(cosh);
  AKGEN_1(tanh);
  AKGEN_1(asinh);
  AKGEN_1(acosh);
  AKGEN_1(atanh);
  AKGEN_1(exp);
  AKGEN_1(exp2);
  AKGEN_1(expm1);
  AKGEN_1(log);
  AKGEN_1(log2);
  AKGEN_1(log10);
  AKGEN_1(log1p);
  AKGEN_1(logb);
  AKGEN_1(sqrt);
  AKGEN_1(cbrt);
  AKGEN_1(fabs);
  AKGEN_1(floor);
  AKGEN_1(ceil);
  AKGEN_1(trunc);
  AKGEN_1(round);
  AKGEN_1(rint);
  AKGEN_1(nearbyint);
  AKGEN_1(erf);
  AKGEN_1(erfc);
  AKGEN_1(tgamma);
  AKGEN_1(lgamma);
  AKGEN_2(pow);
  AKGEN_2(fmod);
  AKGEN_2(atan2);
  AKGEN_2(hypot);
  AKGEN_2(copysign);
  AKGEN_2(fdim);
  AKGEN_2(remainder);
  AKGEN_2(nextafter);
#undef AKGEN_1
#undef AKGEN_2
  (*rows)["fmin"] = Of2<double, LesserOf<double>>, (*rows)["fminf"] = Of2<float, LesserOf<float>>;
  (*rows)["fmax"] = Of2<double, GreaterOf<double>>, (*rows)["fmaxf"] = Of2<float, GreaterOf<float>>;
  (*rows)["fma"] = Fma<double>, (*rows)["fmaf"] = Fma<float>;
  for (const char* name : {"ldexp", "scalbn"})
    (*rows)[name] = Ldexp<double>, (*rows)[name + std::string("f")] = Ldexp<float>;
  for (const char* name : {"lround", "llround"})
    (*rows)[name] = ToLong<double, ::round>,
    (*rows)[name + std::string("f")] = ToLong<float, ::roundf>;
  for (const char* name : {"lrint", "llrint"})
    (*rows)[name] = ToLong<double, ::nearbyint>,
    (*rows)[name + std::string("f")] = ToLong<float, ::nearbyintf>;
  (*rows)["modf"] = Modf<double>, (*rows)["modff"] = Modf<float>;
  (*rows)["frexp"] = Frexp<double>, (*rows)["frexpf"] = Frexp<float>;
  (*rows)["__truncsfbf2"] = NarrowToBfloat16<float>,
  (*rows)["__truncdfbf2"] = NarrowToBfloat16<double>;
}

Rows MakeRows() {
  Rows rows;
  AddMathematics(&rows);
  rows["memcpy"] = rows["memmove"] = Copy;
  rows["memset"] = Set;
  rows["memcmp"] = Compare;
  rows["strlen"] = Length;
  rows["strcmp"] = CompareText<false>;
  rows["strncmp"] = CompareText<true>;
  for (const char* name : {"_Znwm", "_Znam"}) rows[name] = Allocate;
  for (const char* name : {"_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"}) rows[name] = Nothing;
  // Ends of the process that never come, and what headers start although kernels have no streams.
  for (const char* name : {"__cxa_atexit", "_ZNSt8ios_base4InitC1Ev", "_ZNSt8ios_base4InitD1Ev"})
    rows[name] = Nothing;
  for (const char* name : {"abort", "__assert_fail", "__cxa_pure_virtual", "_ZSt9terminatev"})
    rows[name] = Ends;
  return rows;
}
}  // namespace

LibraryFunction FindInLibrary(std::string_view name) {
  static const Rows rows = MakeRows();
  const auto row = rows.find(name);
  return row == rows.end() ? nullptr : row->second;
}

int TextsReadBy(std::string_view name) {
  return name == "strlen" ? 1 : name == "strcmp" || name == "strncmp" ? 2 : 0;
}

}  // namespace akgen::guest
