#include "task/histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace akgen::task {
using base::Dtype;
using base::Json;
namespace {
constexpr int kDecades = 9;  // 1e-8 … 1
constexpr size_t kLimit = 65536;

template <typename T>
double Read(const uint8_t* p, size_t i) {
  T v;
  std::memcpy(&v, p + i * sizeof(T), sizeof(T));
  return double(v);
}

double ValueAt(Dtype dtype, const uint8_t* p, size_t i) {
  uint16_t bits;
  switch (dtype) {
    case Dtype::kFloat16: std::memcpy(&bits, p + 2 * i, 2); return base::HalfToFloat(bits);
    case Dtype::kBfloat16: std::memcpy(&bits, p + 2 * i, 2); return base::Bf16ToFloat(bits);
    case Dtype::kFloat32:
    case Dtype::kComplex64: return Read<float>(p, i);
    case Dtype::kFloat64: return Read<double>(p, i);
    case Dtype::kInt8: return Read<int8_t>(p, i);
    case Dtype::kUint8:
    case Dtype::kBool: return Read<uint8_t>(p, i);
    case Dtype::kInt16: return Read<int16_t>(p, i);
    case Dtype::kUint16: return Read<uint16_t>(p, i);
    case Dtype::kInt32: return Read<int32_t>(p, i);
    case Dtype::kUint32: return Read<uint32_t>(p, i);
    case Dtype::kInt64: return Read<int64_t>(p, i);
    case Dtype::kUint64: return Read<uint64_t>(p, i);
  }
  return 0;
}
}  // namespace

Json ErrorHistogram(const TensorDesc& desc, std::span<const uint8_t> out,
                    std::span<const uint8_t> ref) {
  std::array<uint64_t, kDecades + 3> counts{};  // exact, decades, beyond 1, not finite
  size_t parts = desc.dtype == Dtype::kComplex64 ? 2 : 1, n = size_t(desc.Numel()) * parts;
  if (out.size() != desc.Bytes() || ref.size() != desc.Bytes()) n = 0;
  const size_t step = std::max<size_t>(1, (n + kLimit - 1) / kLimit);
  uint64_t sampled = 0;
  for (size_t i = 0; i < n; i += step, ++sampled) {
    double a = ValueAt(desc.dtype, out.data(), i), b = ValueAt(desc.dtype, ref.data(), i);
    size_t bin = 0;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      bin = a == b || (std::isnan(a) && std::isnan(b)) ? 0 : kDecades + 2;
    } else if (a != b) {
      double decade = std::ceil(std::log10(std::fabs(a - b) / (std::fabs(b) + 1e-7)));
      bin = size_t(std::clamp(decade + kDecades, 1.0, kDecades + 1.0));
    }
    ++counts[bin];
  }
  Json bins = Json::array({Json::array({"exact", counts[0]})});
  for (int d = 1; d < kDecades; ++d)
    bins.push_back({"1e-" + std::to_string(kDecades - d), counts[size_t(d)]});
  bins.push_back({"1", counts[kDecades]});
  bins.push_back({">1", counts[kDecades + 1]});
  bins.push_back({"nan, inf", counts[kDecades + 2]});
  return {{"sampled", sampled}, {"bins", bins}};
}

}  // namespace akgen::task
