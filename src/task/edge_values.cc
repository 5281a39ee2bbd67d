#include "task/edge_values.h"

#include <algorithm>
#include <cmath>

namespace akgen::task {
using base::Dtype;
using base::Json;

namespace {
bool IsSigned(Dtype d) {
  return d == Dtype::kInt8 || d == Dtype::kInt16 || d == Dtype::kInt32 || d == Dtype::kInt64;
}
}  // namespace

Format FormatOf(Dtype d) {
  if (d == Dtype::kFloat16)
    return {65504, std::ldexp(1, -14), std::ldexp(1, -24), std::ldexp(1, -10), 15};
  if (d == Dtype::kBfloat16)
    return {std::ldexp(255.0 / 128, 127), std::ldexp(1, -126), std::ldexp(1, -133),
            std::ldexp(1, -7), 127};
  if (d == Dtype::kFloat64)
    return {1.7976931348623157e308, std::ldexp(1, -1022), 5e-324, std::ldexp(1, -52), 1023};
  return {std::ldexp(2 - std::ldexp(1, -23), 127), std::ldexp(1, -126), std::ldexp(1, -149),
          std::ldexp(1, -23), 127};
}

double LargestInteger(Dtype d) {
  const int bits = 8 * base::SizeOf(d) - (IsSigned(d) ? 1 : 0);
  return bits >= 53 ? std::ldexp(1, 53) : std::ldexp(1, bits) - 1;
}
double SmallestInteger(Dtype d) {
  if (!IsSigned(d)) return 0;
  const int bits = 8 * base::SizeOf(d) - 1;
  return bits >= 53 ? -std::ldexp(1, 53) : -std::ldexp(1, bits);
}

int64_t Held(Dtype d, int64_t number) {
  return int64_t(std::clamp(double(number), SmallestInteger(d), LargestInteger(d)));
}

Json EdgesOf(Dtype d, Edge edge, bool nan, bool ordered) {
  Json out = Json::array();
  if (base::IsFloating(d) || d == Dtype::kComplex64) {
    const Format f = FormatOf(d);
    out = {1.0,  -1.0,  0.5,  -0.5,  1.5,  -1.5,  2.5,  -2.5, 1 + f.step, 1 - f.step / 2,
           3.25, -3.25, 2.75, -2.75, 10.0, -10.0, 77.7, -10.3};
    if (edge == Edge::kMild) return out;
    for (double v : {0.0, -0.0, 88.5, -88.5, 89.0, -89.0, 104.5, -104.5, 4097.0, -4097.0})
      out.push_back(v);
    if (edge == Edge::kLimits) {
      for (double v : {f.largest, f.smallest, f.subnormal}) out.insert(out.end(), {v, -v});
    } else if (d != Dtype::kComplex64 ||
               ordered) {  // C leaves products of infinite complex numbers open (Annex G)
      out.insert(out.end(), {"inf", "-inf"});
      if (edge == Edge::kSpecial && nan) out.push_back("nan");
    }
    return out;
  }
  const double least = SmallestInteger(d), most = LargestInteger(d);
  for (double v : {1.0,        2.0,         3.0,          7.0,          -1.0,
                   -2.0,       -7.0,        0.0,          16777216.0,   16777217.0,
                   16777218.0, -16777217.0, 1073741825.0, 4294967297.0, 9007199254740991.0,
                   127.0,      -128.0,      255.0,        most,         least}) {
    const bool mild = v != 0 && std::fabs(v) < 100;
    if (v >= least && v <= most && (edge != Edge::kMild || mild)) out.push_back(int64_t(v));
  }
  return out;
}

}  // namespace akgen::task
