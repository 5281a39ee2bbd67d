// One element of a tensor of any dtype, for comparisons.
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"

namespace akgen::task {

// Elements as complex numbers: one code for all floating dtypes. Integers keep all 64 bits in
// `bits`.
struct Element {
  std::complex<double> value;
  int64_t bits = 0;
};

template <typename T>
T ReadElement(const uint8_t* p, int64_t i) {
  T v;
  std::memcpy(&v, p + size_t(i) * sizeof(T), sizeof v);
  return v;
}

inline Element ElementAt(base::Dtype d, const uint8_t* p, int64_t i) {
  auto integer = [](auto v) { return Element{{double(v), 0}, int64_t(v)}; };
  switch (d) {
    case base::Dtype::kFloat16: return {{base::HalfToFloat(ReadElement<uint16_t>(p, i)), 0}};
    case base::Dtype::kBfloat16: return {{base::Bf16ToFloat(ReadElement<uint16_t>(p, i)), 0}};
    case base::Dtype::kFloat32: return {{ReadElement<float>(p, i), 0}};
    case base::Dtype::kFloat64: return {{ReadElement<double>(p, i), 0}};
    case base::Dtype::kComplex64:
      return {{ReadElement<float>(p, 2 * i), ReadElement<float>(p, 2 * i + 1)}};
    case base::Dtype::kBool:
    case base::Dtype::kUint8: return integer(ReadElement<uint8_t>(p, i));
    case base::Dtype::kInt8: return integer(ReadElement<int8_t>(p, i));
    case base::Dtype::kInt16: return integer(ReadElement<int16_t>(p, i));
    case base::Dtype::kUint16: return integer(ReadElement<uint16_t>(p, i));
    case base::Dtype::kInt32: return integer(ReadElement<int32_t>(p, i));
    case base::Dtype::kUint32: return integer(ReadElement<uint32_t>(p, i));
    case base::Dtype::kInt64: return integer(ReadElement<int64_t>(p, i));
    case base::Dtype::kUint64: return integer(ReadElement<uint64_t>(p, i));
  }
  return {};
}

// The value of an element of a floating or complex tensor, its dtype known to the compiler: double,
// or complex.
template <base::Dtype d>
auto ValueAt(const uint8_t* p, int64_t i) {
  if constexpr (d == base::Dtype::kComplex64)
    return std::complex<double>(ReadElement<float>(p, 2 * i), ReadElement<float>(p, 2 * i + 1));
  else if constexpr (d == base::Dtype::kFloat16)
    return double(base::HalfToFloat(ReadElement<uint16_t>(p, i)));
  else if constexpr (d == base::Dtype::kBfloat16)
    return double(base::Bf16ToFloat(ReadElement<uint16_t>(p, i)));
  else if constexpr (d == base::Dtype::kFloat32)
    return double(ReadElement<float>(p, i));
  else
    return ReadElement<double>(p, i);
}

// std::abs without its caution for real numbers: most elements are.
inline double Size(std::complex<double> v) {
  return v.imag() == 0 ? std::fabs(v.real()) : std::abs(v);
}
inline double Size(double v) { return std::fabs(v); }
inline bool Finite(double v) { return std::isfinite(v); }
inline bool Finite(std::complex<double> v) {
  return std::isfinite(v.real()) && std::isfinite(v.imag());
}

}  // namespace akgen::task
