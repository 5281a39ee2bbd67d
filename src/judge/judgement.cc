// A judgement as the record that stores, journals and reports keep.
#include "base/version.h"
#include "judge/judge.h"

namespace akgen::judge {
using base::Json;

Json ToJson(const Judgement& j) {
  Json cases = Json::array();
  record::FindingsOfCases merged;
  for (const CaseResult& r : j.cases) {
    merged.Add(r.id, r.findings);
    Json findings = Json::array();
    for (const auto& f : r.findings) findings.push_back(record::ToJson(f));
    cases.push_back({{"id", r.id},
                     {"verdict", r.skipped ? "skipped" : record::NameOf(r.verdict)},
                     {"reason", r.reason},
                     {"numbers_pass", r.numbers_pass},
                     {"findings", findings},
                     {"outputs", r.outputs},
                     {"block_dim", r.block_dim},
                     {"tiling_key", r.tiling_key},
                     {"build_ms", r.build_ms},
                     {"tile_ms", r.tile_ms},
                     {"run_ms", r.run_ms},
                     {"chip_ms", r.chip_ms},
                     {"chip_cpu_ms", r.chip_cpu_ms},
                     {"reference_ms", r.reference_ms},
                     {"check_ms", r.check_ms},
                     {"reference_cached", r.reference_cached},
                     {"arithmetic", r.arithmetic}});
    if (!r.orders.empty()) cases.back()["orders"] = r.orders;
    if (!r.modelled.is_null()) cases.back()["modelled"] = r.modelled;
  }
  Json findings = Json::array();
  for (const record::MergedFinding& f : merged.all()) findings.push_back(record::ToJson(f));
  return {{"schema", record::kVerdictSchema},
          {"version", base::kVersion},
          {"task", j.task},
          {"level", j.level},
          {"category", j.category},
          {"project", j.project},
          {"chip", j.chip},
          {"backend", record::NameOf(j.backend)},
          {"sealed", record::IsSealed(j.backend)},
          {"verdict", record::NameOf(j.verdict)},
          {"reason", j.reason},
          {"seed", j.seed},
          {"precision", j.precision},
          {"checks", j.checks},
          {"cases", cases},
          {"findings", findings},
          {"diagnostics", j.diagnostics},
          {"rewrites", j.rewrites},
          {"build_host_ms", j.build_host_ms},
          {"build_kernel_ms", j.build_kernel_ms},
          {"provenance", j.provenance}};
}

}  // namespace akgen::judge
