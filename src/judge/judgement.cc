// A judgement as the record that stores, journals and reports keep.
#include "base/version.h"
#include "judge/judge.h"

namespace akgen::judge {

record::CaseRecord RecordOf(const CaseResult& r) {
  record::CaseRecord c;
  c.id = r.id, c.reason = r.reason, c.numbers_pass = r.numbers_pass;
  if (!r.skipped) c.verdict = r.verdict;
  c.findings = r.findings, c.outputs = base::Json::array();
  for (const record::OutputResult& o : r.outputs) c.outputs.push_back(record::ToJson(o));
  c.block_dim = r.block_dim, c.tiling_key = r.tiling_key;
  c.build_ms = r.build_ms, c.tile_ms = r.tile_ms, c.run_ms = r.run_ms;
  c.chip_ms = r.chip_ms, c.chip_cpu_ms = r.chip_cpu_ms;
  c.reference_ms = r.reference_ms, c.check_ms = r.check_ms, c.reference_cached = r.reference_cached;
  c.arithmetic = r.arithmetic, c.orders = r.orders, c.modelled = r.modelled;
  c.print = r.print, c.measured = r.measured, c.vendor_code = r.vendor_code;
  return c;
}

record::Judgement RecordOf(const Judgement& j) {
  record::Judgement out;
  out.version = base::kVersion;
  out.task = j.task, out.category = j.category, out.project = j.project, out.chip = j.chip,
  out.level = j.level;
  out.backend = j.backend, out.sealed = record::IsSealed(j.backend);
  out.verdict = j.verdict, out.reason = j.reason, out.seed = j.seed, out.precision = j.precision;
  out.range = j.range;
  out.checks = j.checks, out.build_options = j.build_options;
  record::FindingsOfCases findings;
  for (const CaseResult& r : j.cases) {
    out.cases.push_back(RecordOf(r));
    findings.Add(r.id, r.findings);
  }
  out.findings = findings.all();
  out.diagnostics = record::ToJson(j.diagnostics), out.rewrites = j.rewrites;
  out.build_host_ms = j.build_host_ms, out.build_kernel_ms = j.build_kernel_ms;
  out.provenance = j.provenance;
  for (const Judgement& npu : j.npu) out.npu.push_back(RecordOf(npu));
  return out;
}

base::Json ToJson(const Judgement& j) { return record::ToJson(RecordOf(j)); }

}  // namespace akgen::judge
