#include "record/output_result.h"

#include <limits>

namespace akgen::record {
using base::Json;

namespace {
// Text has no number for what is not finite.
double NumberFromJson(const Json& j) {
  return j.is_number() ? j.get<double>() : std::numeric_limits<double>::quiet_NaN();
}
}  // namespace

Json ToJson(const OutputValues& v) {
  return {{"name", v.name},
          {"elements", v.elements},
          {"nan", v.nan},
          {"infinite", v.infinite},
          {"low", v.low ? Json(*v.low) : Json()},
          {"high", v.high ? Json(*v.high) : Json()}};
}

OutputValues OutputValuesFromJson(const Json& j) {
  OutputValues v;
  j.at("name").get_to(v.name), j.at("elements").get_to(v.elements);
  j.at("nan").get_to(v.nan), j.at("infinite").get_to(v.infinite);
  if (j.at("low").is_number()) v.low = j.at("low").get<double>();
  if (j.at("high").is_number()) v.high = j.at("high").get<double>();
  return v;
}

namespace {
Json ToJson(const std::vector<ElementDifference>& differences) {
  Json out = Json::array();
  for (const ElementDifference& d : differences)
    out.push_back({{"index", d.index}, {"out", d.out}, {"ref", d.ref}});
  return out;
}

std::vector<ElementDifference> DifferencesFromJson(const Json& j) {
  std::vector<ElementDifference> out;
  for (const Json& d : j)
    out.push_back(
        {d.at("index").get<int64_t>(), NumberFromJson(d.at("out")), NumberFromJson(d.at("ref"))});
  return out;
}
}  // namespace

Json ToJson(const OutputResult& r) {
  Json j{{"name", r.name},           {"rule", r.rule},
         {"elements", r.elements},   {"mismatches", r.mismatches},
         {"max_abs", r.max_abs},     {"max_rel", r.max_rel},
         {"first", ToJson(r.first)}, {"histogram", r.histogram}};
  if (r.mismatches) j["worst"] = ToJson(r.worst), j["region"] = r.region, j["shape"] = r.shape;
  return j;
}

OutputResult OutputResultFromJson(const Json& j) {
  OutputResult r;
  j.at("name").get_to(r.name), j.at("rule").get_to(r.rule);
  j.at("elements").get_to(r.elements), j.at("mismatches").get_to(r.mismatches);
  r.max_abs = NumberFromJson(j.at("max_abs")), r.max_rel = NumberFromJson(j.at("max_rel"));
  r.first = DifferencesFromJson(j.at("first")),
  r.worst = DifferencesFromJson(j.value("worst", Json::array()));
  r.region = j.value("region", ""), r.shape = j.value("shape", std::vector<int64_t>());
  r.histogram = j.at("histogram");
  return r;
}

}  // namespace akgen::record
