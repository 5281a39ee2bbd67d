#include "record/parity.h"

namespace akgen::record {
using base::Json;

namespace {
Json ToJson(const ErrorQuantiles& q) {
  return {{"rows", q.rows}, {"median", q.median}, {"p90", q.p90}};
}

Json ToJson(const ParityRow& r) {
  return {{"kernel", r.kernel},     {"case", r.case_id},
          {"lines", r.lines},       {"what", r.core ? "core" : "task"},
          {"bound_by", r.bound_by}, {"measured", r.measured},
          {"modelled", r.modelled}, {"error", r.error}};
}
}  // namespace

Json ToJson(const ErrorSummary& summary) {
  Json out = ToJson(static_cast<const ErrorQuantiles&>(summary));
  out["by_regime"] = Json::object();
  for (const auto& [regime, quantiles] : summary.by_regime)
    out["by_regime"][regime] = ToJson(quantiles);
  return out;
}

Json ToJson(const Parity& parity) {
  Json out{{"rows", Json::array()}, {"untied", Json::array()}, {"errors", ToJson(parity.errors)}};
  for (const ParityRow& r : parity.rows) out["rows"].push_back(ToJson(r));
  for (const UntiedRow& r : parity.untied)
    out["untied"].push_back(
        {{"line", r.line}, {"what", r.what}, {"case", r.case_id}, {"why", r.why}});
  return out;
}

}  // namespace akgen::record
