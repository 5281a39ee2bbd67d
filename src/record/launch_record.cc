#include "record/launch_record.h"

#include "base/version.h"
#include "record/take.h"

namespace akgen::record {
using base::Json;

Json ToJson(const LaunchRecord& r) {
  Json findings = Json::array();
  for (const Finding& f : r.findings) findings.push_back(ToJson(f));
  Json outputs = Json::array();
  for (const OutputValues& v : r.outputs) outputs.push_back(ToJson(v));
  Json j{{"schema", kVerdictSchema},
         {"version", base::kVersion},
         {"backend", NameOf(r.backend)},
         {"sealed", IsSealed(r.backend)},
         {"verdict", NameOf(r.verdict)},
         {"reason", r.reason},
         {"checks", r.checks},
         {"build_options", r.build_options},
         {"findings", findings},
         {"outputs", outputs},
         {"diagnostics", ToJson(r.diagnostics)},
         {"print", r.print},
         {"build_ms", r.build_ms},
         {"run_ms", r.run_ms},
         {"counts", r.counts},
         {"hash", r.hash},
         {"modelled", r.modelled}};
  if (!r.file.empty()) j["file"] = r.file;
  return j;
}

base::Result<LaunchRecord> LaunchRecordFromJson(const Json& j) {
  return base::Checked("the record of a launch", [&]() -> base::Result<LaunchRecord> {
    if (!j.is_object()) base::ThrowJsonShape("a record is an object");
    LaunchRecord r;
    Take(j, "file", r.file);
    if (const auto name = j.find("backend"); name != j.end()) {
      const auto backend = BackendFromName(name->get_ref<const std::string&>());
      if (!backend) base::ThrowJsonShape("an unknown backend");
      r.backend = *backend;
    }
    const auto verdict = VerdictFromName(j.at("verdict").get_ref<const std::string&>());
    if (!verdict) base::ThrowJsonShape("an unknown verdict");
    r.verdict = *verdict;
    Take(j, "reason", r.reason), Take(j, "print", r.print), Take(j, "checks", r.checks);
    Take(j, "build_options", r.build_options);
    if (const auto all = j.find("findings"); all != j.end())
      for (const Json& f : all->get_ref<const Json::array_t&>())
        r.findings.push_back(FindingFromJson(f));
    if (const auto all = j.find("diagnostics"); all != j.end())
      r.diagnostics = DiagnosticsFromJson(*all);
    if (const auto all = j.find("outputs"); all != j.end())
      for (const Json& v : all->get_ref<const Json::array_t&>())
        r.outputs.push_back(OutputValuesFromJson(v));
    Take(j, "build_ms", r.build_ms), Take(j, "run_ms", r.run_ms);
    Take(j, "counts", r.counts), Take(j, "hash", r.hash), Take(j, "modelled", r.modelled);
    return r;
  });
}

base::Result<AnyRecord> AnyRecordFromJson(const Json& record) {
  if (record.is_object() && !record.contains("cases")) {
    auto launch = LaunchRecordFromJson(record);
    return launch.ok() ? base::Result<AnyRecord>(std::move(*launch)) : launch.error();
  }
  auto judgement = JudgementFromJson(record);
  return judgement.ok() ? base::Result<AnyRecord>(std::move(*judgement)) : judgement.error();
}

std::vector<MergedFinding> FindingsOf(const AnyRecord& record) {
  if (const auto* judgement = std::get_if<Judgement>(&record)) return judgement->findings;
  std::vector<MergedFinding> out;
  for (const Finding& f : std::get<LaunchRecord>(record).findings) out.push_back({f, {}});
  return out;
}

}  // namespace akgen::record
