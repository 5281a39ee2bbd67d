#include "record/judgement.h"

#include <algorithm>

#include "record/take.h"

namespace akgen::record {
using base::Json;

std::string_view CaseRecord::VerdictName() const { return verdict ? NameOf(*verdict) : kSkipped; }

std::optional<ModelledTime> ModelledFromJson(const Json& j) {
  ModelledTime t;
  t.own = ModelledOf(j);
  if (!t.own.known()) return std::nullopt;
  t.eager = ModelledOf(j, "baseline_");
  Take(j, "bound_us", t.bound_us);
  Take(j, "estimator", t.estimator), Take(j, "regime", t.regime),
      Take(j, "bottleneck", t.bottleneck);
  Take(j, "eager_kernels", t.eager_kernels);
  return t;
}

Json ToJson(const CaseRecord& c) { return base::MessageToJson(c); }
Json ToJson(const Provenance& p) { return base::MessageToJson(p); }
Json ToJson(const Judgement& j) { return base::MessageToJson(j); }
Provenance ProvenanceFromJson(const Json& j) {
  return j.is_object() ? base::MessageFromJson<Provenance>(j) : Provenance();
}

void Judgement::Complete(const Json& from) {
  sealed = Sealed(from);
  FindingsOfCases merged;
  for (const CaseRecord& c : cases) merged.Add(c.id, c.findings);
  findings = merged.all();
  if (npu.empty()) return;
  if (!npu[0].npu.empty()) base::ThrowJsonShape("a record on a real device holds another one");
  if (npu[0].backend != Backend::kNpu)
    base::ThrowJsonShape("`npu` is not the record of a real device");
}

namespace {
// Of a record: what is needed to know whether the rest can be read.
struct RecordSchema {
  int schema = kVerdictSchema;
  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("schema", m.schema);
  }
};
struct RecordCases {
  std::vector<CaseRecord> cases;
  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("cases", m.cases);
  }
};
}  // namespace

base::Result<std::vector<CaseRecord>> CasesFromJson(const Json& record) {
  return base::Checked("the record of a judgement", [&]() -> base::Result<std::vector<CaseRecord>> {
    if (!record.is_object()) return std::vector<CaseRecord>();
    return base::MessageFromJson<RecordCases>(record).cases;
  });
}

base::Result<Judgement> JudgementFromJson(const Json& record) {
  return base::Checked("the record of a judgement", [&]() -> base::Result<Judgement> {
    if (base::MessageFromJson<RecordSchema>(record).schema > kVerdictSchema)
      base::ThrowJsonShape("the record is of a later version");
    return base::MessageFromJson<Judgement>(record);
  });
}

namespace {
std::string ContradictionOfPass(const std::vector<CaseRecord>& cases) {
  bool passed = false;
  for (const CaseRecord& c : cases) {
    if (!c.verdict) continue;  // skipped
    if (!c.Passed())
      return "a pass with case " + c.id + ", which is " + std::string(c.VerdictName());
    passed = true;
    if (std::any_of(c.findings.begin(), c.findings.end(),
                    [](const Finding& f) { return !f.warning; }))
      return "a pass with a finding in case " + c.id;
  }
  return passed ? "" : "a pass without a case that passed";
}
}  // namespace

std::string ContradictionIn(const Judgement& j) {
  if (!j.npu.empty())
    if (const std::string why = ContradictionIn(j.npu[0]); !why.empty())
      return "on the device: " + why;
  if (j.sealed && !IsSealed(j.backend))
    return "sealed, but its kernel ran as machine code (backend " + std::string(NameOf(j.backend)) +
           ")";
  if (j.verdict == Verdict::kPass) return ContradictionOfPass(j.cases);
  const bool of_a_case = j.verdict == Verdict::kWrongAnswer;
  if (of_a_case && std::none_of(j.cases.begin(), j.cases.end(),
                                [&](const auto& c) { return c.verdict == j.verdict; }))
    return std::string(NameOf(j.verdict)) + " without such a case";
  return "";
}

std::optional<Summary> SummaryOf(const Json& record) {
  const auto text = [&](const char* key) {
    const auto at = record.find(key);
    return at != record.end() && at->is_string() ? std::optional(at->get<std::string>())
                                                 : std::nullopt;
  };
  if (!record.is_object()) return std::nullopt;
  const auto verdict = text("verdict");
  if (!verdict) return std::nullopt;
  return Summary{text("task").value_or(""), *verdict, text("reason").value_or(""), Sealed(record)};
}

void Mixture::Add(const Json& record) {
  const auto j = JudgementFromJson(record);
  if (!j.ok()) return;
  const auto see = [&](size_t kind, const std::string& one) {
    auto& all = seen_[kind];
    if (!one.empty() && std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  };
  see(0, j->version), see(1, j->provenance.judge), see(2, j->chip), see(3, j->precision);
  see(4, j->chip + " " + j->provenance.chip);
  for (const CaseRecord& c : j->cases)
    if (const auto time = c.Time()) see(5, time->estimator);
}

std::vector<std::string> Mixture::Said() const {
  constexpr std::string_view kKinds[] = {
      "versions of the program",
      "judges (verdicts on the same kernel may differ)",
      "chips",
      "rules of precision",
      "timing models of the chip (modelled times are not comparable)",
      "estimators of baselines (speedups are not comparable)"};
  std::vector<std::string> out;
  for (size_t kind = 0; kind < seen_.size(); ++kind)
    if (seen_[kind].size() > 1 && !(kind == 4 && seen_[4].size() <= seen_[2].size()))
      out.push_back(std::to_string(seen_[kind].size()) + " " + std::string(kKinds[kind]));
  return out;
}

}  // namespace akgen::record
