#include "task/other_values.h"

#include <algorithm>
#include <cmath>

namespace akgen::task {
using base::Json;

namespace {
// For a float with several values: others on either side, within [0, 1] where all of them are.
std::vector<Json> BesideFloats(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double largest = std::max(std::fabs(*least), std::fabs(*most));
  auto floats = [](double a, double b) {
    return std::vector<Json>{double(float(a)), double(float(b))};
  };  // as passed
  if (largest < 1e-2) return {0.25};  // an epsilon: large enough to be seen
  if (values.size() == 1) return floats(2 * values[0], values[0] / 2);
  if (*least >= 0 && *most <= 1) return floats((1 + *most) / 2, *least / 2);
  return floats(-largest, 3 * largest);
}
}  // namespace

std::vector<Json> OtherValues(const AttrSpec& attr, const std::vector<Json>& published) {
  if (attr.other.is_array()) return {attr.other.begin(), attr.other.end()};
  if (attr.type == "bool" && published.size() == 1 && published[0].is_boolean())
    return {!published[0].get<bool>()};
  std::vector<double> values;
  for (const Json& v : published)
    if (v.is_number()) values.push_back(v.get<double>());
  if (values.empty() || values.size() != published.size()) return {};
  if (attr.type == "float") return BesideFloats(values);
  // Of an integer only a sign says that it is a quantity: others may be codes, axes, sizes.
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (attr.type != "int" || values.size() < 2 || *least >= 0) return {};
  return {int64_t(*least) - 3, int64_t(*most) + 3};
}

}  // namespace akgen::task
