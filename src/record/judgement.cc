#include "record/judgement.h"

#include <algorithm>

#include "record/take.h"

namespace akgen::record {
using base::Json;

namespace {
constexpr std::string_view kSkipped =
    "skipped";  // in place of a verdict, of a case that was not judged

Verdict VerdictIn(const Json& name) {
  const auto v = VerdictFromName(name.get_ref<const std::string&>());
  if (!v) base::ThrowJsonShape("an unknown verdict");
  return *v;
}

CaseRecord CaseFromJson(const Json& j) {
  if (!j.is_object()) base::ThrowJsonShape("a case is an object");
  CaseRecord c;
  Take(j, "id", c.id);
  if (const auto v = j.find("verdict");
      v != j.end() && v->get_ref<const std::string&>() != kSkipped)
    c.verdict = VerdictIn(*v);
  Take(j, "reason", c.reason);
  Take(j, "numbers_pass", c.numbers_pass);
  if (const auto all = j.find("findings"); all != j.end())
    for (const Json& f : all->get_ref<const Json::array_t&>())
      c.findings.push_back(FindingFromJson(f));
  Take(j, "outputs", c.outputs);
  Take(j, "block_dim", c.block_dim), Take(j, "tiling_key", c.tiling_key);
  Take(j, "build_ms", c.build_ms), Take(j, "tile_ms", c.tile_ms), Take(j, "run_ms", c.run_ms);
  Take(j, "chip_ms", c.chip_ms), Take(j, "chip_cpu_ms", c.chip_cpu_ms);
  Take(j, "reference_ms", c.reference_ms), Take(j, "check_ms", c.check_ms);
  Take(j, "reference_cached", c.reference_cached);
  Take(j, "arithmetic", c.arithmetic);
  Take(j, "orders", c.orders);
  Take(j, "modelled", c.modelled), Take(j, "print", c.print);
  if (const auto m = j.find("measured"); m != j.end()) c.measured = MeasuredFromJson(*m);
  Take(j, "vendor_code", c.vendor_code);
  return c;
}

std::vector<CaseRecord> CasesIn(const Json& record) {
  std::vector<CaseRecord> out;
  if (const auto cases = record.find("cases"); cases != record.end())
    for (const Json& c : cases->get_ref<const Json::array_t&>()) out.push_back(CaseFromJson(c));
  return out;
}
}  // namespace

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

Json ToJson(const CaseRecord& c) {
  Json findings = Json::array();
  for (const Finding& f : c.findings) findings.push_back(ToJson(f));
  Json j{{"id", c.id},
         {"verdict", c.VerdictName()},
         {"reason", c.reason},
         {"numbers_pass", c.numbers_pass},
         {"findings", findings},
         {"outputs", c.outputs},
         {"block_dim", c.block_dim},
         {"tiling_key", c.tiling_key},
         {"build_ms", c.build_ms},
         {"tile_ms", c.tile_ms},
         {"run_ms", c.run_ms},
         {"chip_ms", c.chip_ms},
         {"chip_cpu_ms", c.chip_cpu_ms},
         {"reference_ms", c.reference_ms},
         {"check_ms", c.check_ms},
         {"reference_cached", c.reference_cached},
         {"arithmetic", c.arithmetic}};
  if (!c.orders.empty()) j["orders"] = c.orders;
  if (!c.modelled.is_null()) j["modelled"] = c.modelled;
  if (!c.print.empty()) j["print"] = c.print;
  if (c.measured) j["measured"] = ToJson(*c.measured);
  if (c.vendor_code) j["vendor_code"] = c.vendor_code;
  return j;
}

Json ToJson(const Provenance& p) {
  Json j{{"task", p.task}, {"judge", p.judge}, {"chip", p.chip}, {"candidate", p.candidate}};
  if (!p.host.empty()) j["host"] = p.host;
  if (!p.host_build.empty()) j["host_build"] = p.host_build;
  if (!p.sandbox.is_null()) j["sandbox"] = p.sandbox;
  if (p.device) j["device"] = ToJson(*p.device);
  return j;
}

Provenance ProvenanceFromJson(const Json& j) {
  Provenance p;
  Take(j, "task", p.task), Take(j, "judge", p.judge), Take(j, "chip", p.chip),
      Take(j, "candidate", p.candidate);
  Take(j, "host", p.host), Take(j, "host_build", p.host_build), Take(j, "sandbox", p.sandbox);
  if (const auto d = j.find("device"); d != j.end()) p.device = DeviceFactsFromJson(*d);
  return p;
}

Json ToJson(const Judgement& j) {
  Json cases = Json::array(), findings = Json::array();
  for (const CaseRecord& c : j.cases) cases.push_back(ToJson(c));
  for (const MergedFinding& f : j.findings) findings.push_back(ToJson(f));
  Json out{{"schema", j.schema},
           {"version", j.version},
           {"task", j.task},
           {"level", j.level},
           {"category", j.category},
           {"project", j.project},
           {"chip", j.chip},
           {"backend", NameOf(j.backend)},
           {"sealed", j.sealed},
           {"verdict", NameOf(j.verdict)},
           {"reason", j.reason},
           {"seed", j.seed},
           {"precision", j.precision},
           {"range", j.range},
           {"checks", j.checks},
           {"build_options", j.build_options},
           {"cases", cases},
           {"findings", findings},
           {"diagnostics", j.diagnostics},
           {"rewrites", j.rewrites},
           {"build_host_ms", j.build_host_ms},
           {"build_kernel_ms", j.build_kernel_ms},
           {"provenance", ToJson(j.provenance)}};
  if (!j.npu.empty()) out["npu"] = ToJson(j.npu.front());
  return out;
}

base::Result<std::vector<CaseRecord>> CasesFromJson(const Json& record) {
  return base::Checked("the record of a judgement",
                       [&]() -> base::Result<std::vector<CaseRecord>> { return CasesIn(record); });
}

namespace {
Judgement JudgementIn(const Json& record, bool nested) {
  Judgement j;
  if (!record.is_object()) base::ThrowJsonShape("a record is an object");
  Take(record, "schema", j.schema);
  if (j.schema > kVerdictSchema) base::ThrowJsonShape("the record is of a later version");
  Take(record, "version", j.version);
  Take(record, "task", j.task), Take(record, "category", j.category),
      Take(record, "level", j.level);
  Take(record, "project", j.project), Take(record, "chip", j.chip);
  if (const auto name = record.find("backend"); name != record.end()) {
    const auto backend = BackendFromName(name->get_ref<const std::string&>());
    if (!backend) base::ThrowJsonShape("an unknown backend");
    j.backend = *backend;
  }
  j.sealed = Sealed(record);
  j.verdict = VerdictIn(record.at("verdict"));
  Take(record, "reason", j.reason), Take(record, "seed", j.seed),
      Take(record, "precision", j.precision), Take(record, "range", j.range);
  Take(record, "checks", j.checks), Take(record, "build_options", j.build_options);
  j.cases = CasesIn(record);
  FindingsOfCases merged;
  for (const CaseRecord& c : j.cases) merged.Add(c.id, c.findings);
  j.findings = merged.all();
  Take(record, "diagnostics", j.diagnostics), Take(record, "rewrites", j.rewrites);
  Take(record, "build_host_ms", j.build_host_ms),
      Take(record, "build_kernel_ms", j.build_kernel_ms);
  if (const auto p = record.find("provenance"); p != record.end())
    j.provenance = ProvenanceFromJson(*p);
  if (const auto npu = record.find("npu"); npu != record.end()) {
    if (nested) base::ThrowJsonShape("a record on a real device holds another one");
    j.npu.push_back(JudgementIn(*npu, true));
    if (j.npu[0].backend != Backend::kNpu)
      base::ThrowJsonShape("`npu` is not the record of a real device");
  }
  return j;
}
}  // namespace

base::Result<Judgement> JudgementFromJson(const Json& record) {
  return base::Checked("the record of a judgement",
                       [&]() -> base::Result<Judgement> { return JudgementIn(record, false); });
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
