#include "serve/record_view.h"

namespace akgen::serve {
using base::Json;

namespace {
constexpr size_t kMaxDiagnostics = 20;

Json FindingsJson(const std::vector<record::MergedFinding>& findings) {
  Json out = Json::array();
  for (const auto& f : findings) out.push_back(record::ToJson(f));
  return out;
}
}  // namespace

Shown ShownOf(const Json& record) {
  Shown out;
  auto any = record::AnyRecordFromJson(record);
  if (!any.ok()) return out;
  out.findings = record::FindingsOf(*any);
  if (auto* launch = std::get_if<record::LaunchRecord>(&*any)) {
    out.diagnostics = std::move(launch->diagnostics), out.modelled = std::move(launch->modelled);
    return out;
  }
  auto& judgement = std::get<record::Judgement>(*any);
  out.chip = judgement.chip, out.seed = judgement.seed, out.cases = std::move(judgement.cases);
  (void)base::Checked("the record of a judgement", [&] {
    out.diagnostics = record::DiagnosticsFromJson(judgement.diagnostics);
    return base::Status();
  });
  return out;
}

std::vector<CaseProfile> ProfilesOf(const Shown& shown, const std::string& chip_name) {
  std::vector<CaseProfile> out;
  const auto chip = chip::LoadChip(shown.chip.empty() ? chip_name : shown.chip);
  if (!chip.ok()) return out;
  const auto add = [&](const Json& modelled, const std::string& id) {
    const auto time = record::LaunchTimeFromJson(modelled);
    if (time && time->tried) out.push_back({id, judge::ProfileOf(*time, *chip)});
  };
  for (const auto& c : shown.cases) add(c.modelled, c.id);
  add(shown.modelled, "");
  return out;
}

Json ToJson(const std::vector<CaseProfile>& profiles) {
  Json out = Json::array();
  for (const auto& p : profiles) {
    Json one = judge::ToJson(p.profile);
    one["case"] = p.case_id;
    out.push_back(std::move(one));
  }
  return out;
}

Json SummaryOf(const Answer& a) {
  Shown shown = ShownOf(a.record);
  Json failed = Json::array();
  for (const auto& c : shown.cases)
    if (c.verdict && !c.Passed()) failed.push_back(c.id);
  if (shown.diagnostics.size() > kMaxDiagnostics) shown.diagnostics.resize(kMaxDiagnostics);
  const size_t judged = shown.cases.size();
  Json out{{"verdict", a.outcome},
           {"reason", a.reason},
           {"reward", nullptr},
           {"reward_version", record::kRewardVersion},
           {"retryable", a.Retryable()},
           {"cached", a.cached},
           {"cases", {{"judged", judged}, {"passed", judged - failed.size()}, {"failed", failed}}},
           {"findings", FindingsJson(shown.findings)},
           {"diagnostics", record::ToJson(shown.diagnostics)}};
  if (auto reward = a.Reward()) out["reward"] = *reward;
  return out;
}

}  // namespace akgen::serve
