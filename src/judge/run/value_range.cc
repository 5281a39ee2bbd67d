#include "judge/run/value_range.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace akgen::judge {
namespace {
using base::Dtype;

template <class T>
double Number(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return double(value);
}
}  // namespace

double NumberAt(Dtype dtype, const uint8_t* at) {
  switch (dtype) {
    case Dtype::kFloat16: return base::HalfToFloat(uint16_t(Number<uint16_t>(at)));
    case Dtype::kBfloat16: return base::Bf16ToFloat(uint16_t(Number<uint16_t>(at)));
    case Dtype::kFloat32: return Number<float>(at);
    case Dtype::kFloat64: return Number<double>(at);
    case Dtype::kInt8: return Number<int8_t>(at);
    case Dtype::kInt16: return Number<int16_t>(at);
    case Dtype::kInt32: return Number<int32_t>(at);
    case Dtype::kInt64: return Number<int64_t>(at);
    case Dtype::kUint16: return Number<uint16_t>(at);
    case Dtype::kUint32: return Number<uint32_t>(at);
    case Dtype::kUint64: return Number<uint64_t>(at);
    default: return Number<uint8_t>(at);
  }
}

record::OutputValues ValuesOf(std::string name, Dtype dtype, const uint8_t* at, uint64_t count) {
  record::OutputValues v;
  v.name = std::move(name), v.elements = int64_t(count);
  const int size = base::SizeOf(dtype);
  if (size <= 0 || size > 8 || dtype == Dtype::kComplex64) return v;
  for (uint64_t i = 0; i < count; ++i, at += size) {
    const double x = NumberAt(dtype, at);
    if (std::isnan(x))
      ++v.nan;
    else if (std::isinf(x))
      ++v.infinite;
    else if (!v.low)
      v.low = v.high = x;
    else
      v.low = std::min(*v.low, x), v.high = std::max(*v.high, x);
  }
  return v;
}

}  // namespace akgen::judge
