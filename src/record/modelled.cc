#include "record/modelled.h"

#include <algorithm>
#include <cmath>

namespace akgen::record {
using base::Json;

namespace {
double NumberOf(const Json& j) { return j.is_number() ? j.get<double>() : 0; }

Modelled With(double us, const Json& range) {
  if (!std::isfinite(us) || us <= 0) return {};
  const bool pair = range.is_array() && range.size() == 2;
  const double low = pair ? NumberOf(range[0]) : us, high = pair ? NumberOf(range[1]) : us;
  return {us, low > 0 ? std::min(us, low) : us, std::max(us, high)};
}

// How many times as fast `a` is as `b`, at least 1.
double Faster(const Modelled& a, const Modelled& b) {
  return std::max(1.0, std::min(b.low / a.us, b.us / a.high));
}
}  // namespace

Modelled ModelledOf(const Json& modelled, const std::string& prefix) {
  if (!modelled.is_object()) return {};
  return With(NumberOf(modelled.value(prefix + "us", Json())),
              modelled.value(prefix + "range_us", Json()));
}

Json ToJson(const Modelled& m) {
  return m.known() ? Json{{"us", m.us}, {"range_us", {m.low, m.high}}} : Json::object();
}

Modelled SumOfCases(const Json& cases) {
  Modelled sum;
  for (const Json& c : cases) {
    if (c.value("verdict", "") == "skipped") continue;
    const bool record = c.contains("modelled") && c["modelled"].is_object();
    const Modelled one = record ? ModelledOf(c["modelled"]) : ModelledOf(c, "modelled_");
    if (!one.known()) return {};
    sum = sum + one;
  }
  return sum;
}

Modelled SumOfRecord(const Json& record) {
  if (!record.is_object()) return {};
  return SumOfCases(record.value("cases", Json::array()));
}

double SpeedBeyond(const Modelled& a, const Modelled& b) {
  if (!a.known() || !b.known()) return 1;
  const double faster = Faster(a, b);
  return faster > 1 ? faster : 1 / Faster(b, a);
}

}  // namespace akgen::record
