#include "serve/record_view.h"

#include "judge/profile.h"
#include "judge/timing.h"
#include "serve/schemas.h"

namespace akgen::serve {
using base::Json;

namespace {
constexpr size_t kMostDiagnostics = 20;

Json CasesOf(const Json& record) {
  const Json cases = record.is_object() ? record.value("cases", Json::array()) : Json::array();
  return cases.is_array() ? cases : Json::array();
}
}  // namespace

Json MergedFindings(const Json& record) {
  Json out = record.is_object() ? record.value("findings", Json::array()) : Json::array();
  for (Json& f : out)
    if (!f.contains("cases")) f["cases"] = Json::array();
  return out;
}

Json ProfilesOf(const Json& record, const std::string& chip_name) {
  Json out = Json::array();
  if (!record.is_object()) return out;
  auto chip = chip::LoadChip(record.value("chip", chip_name));
  auto add = [&](const Json& of, const std::string& id) {
    const Json modelled = of.value("modelled", Json());
    const auto time = record::LaunchTimeFromJson(modelled);
    if (!chip.ok() || !time || !modelled.contains("what_if")) return;
    Json profile = judge::ToJson(judge::ProfileOf(*time, *chip));
    profile["case"] = id;
    out.push_back(std::move(profile));
  };
  for (const Json& c : CasesOf(record)) add(c, c.value("id", ""));
  add(record, "");
  return out;
}

Json SummaryOf(const Answer& a) {
  Json failed = Json::array();
  const Json cases = CasesOf(a.record);
  for (const Json& c : cases)
    if (c.value("verdict", "") != "pass" && c.value("verdict", "") != "skipped") failed.push_back(c.value("id", ""));
  Json diagnostics = a.record.is_object() ? a.record.value("diagnostics", Json::array()) : Json::array();
  if (diagnostics.size() > kMostDiagnostics)
    diagnostics.erase(diagnostics.begin() + kMostDiagnostics, diagnostics.end());
  Json out{{"verdict", a.outcome},
           {"reason", a.reason},
           {"reward", nullptr},
           {"retryable", a.Retryable()},
           {"cached", a.cached},
           {"cases", {{"judged", cases.size()}, {"passed", cases.size() - failed.size()}, {"failed", failed}}},
           {"findings", MergedFindings(a.record)},
           {"diagnostics", std::move(diagnostics)}};
  if (auto reward = a.Reward()) out["reward"] = *reward;
  return out;
}

Json SummarySchema() {
  const Json of_records = RecordSchemas()["judgement"].value("$defs", Json::object());
  Json defs = Json::object();
  for (const char* name : {"merged_finding", "edit", "place", "diagnostic"})
    if (of_records.contains(name)) defs[name] = of_records[name];
  // A standalone kernel has findings, and no cases.
  if (defs.contains("merged_finding")) defs["merged_finding"]["properties"]["cases"].erase("minItems");
  auto refer = [&](const char* name) {
    return defs.contains(name) ? Json{{"$ref", std::string("#/$defs/") + name}} : Typed("object");
  };
  const Json ids = ListOf(Typed("string"));
  Json out{{"type", "object"},
           {"required", Json::array({"verdict", "reason", "reward", "retryable", "findings", "diagnostics"})},
           {"properties",
            {{"verdict", Typed("string", "pass, finding, wrong_answer, build_error, …; no_code, refused")},
             {"reason", Typed("string")},
             {"reward", {{"type", Json::array({"number", "null"})}, {"description", "null: no judgement of the code"}}},
             {"retryable", Typed("boolean")},
             {"cached", Typed("boolean")},
             {"cases",
              {{"type", "object"},
               {"properties", {{"judged", Typed("integer")}, {"passed", Typed("integer")}, {"failed", ids}}}}},
             {"findings", ListOf(refer("merged_finding"),
                                 "what the chip would punish, with the lines, the fix, and edits where known")},
             {"diagnostics", ListOf(refer("diagnostic"), "of the builds")}}}};
  if (!defs.empty()) out["$defs"] = std::move(defs);
  return out;
}

}  // namespace akgen::serve
