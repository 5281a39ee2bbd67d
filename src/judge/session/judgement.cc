#include "judge/session/judgement.h"

#include "base/version.h"

namespace akgen::judge {

record::CaseRecord RecordOf(const CaseResult& r) {
  record::CaseRecord c;
  static_cast<record::CaseFields&>(c) = r;
  if (!r.skipped) c.verdict = r.verdict;
  for (const record::OutputResult& o : r.outputs) c.outputs.push_back(record::ToJson(o));
  return c;
}

record::Judgement RecordOf(const Judgement& j) {
  record::Judgement out;
  static_cast<record::JudgementFields&>(out) = j;
  out.version = base::kVersion, out.sealed = record::IsSealed(j.backend);
  record::FindingsOfCases findings;
  for (const CaseResult& r : j.cases) {
    out.cases.push_back(RecordOf(r));
    findings.Add(r.id, r.findings);
  }
  out.findings = findings.all();
  out.diagnostics = record::ToJson(j.diagnostics);
  for (const Judgement& npu : j.npu) out.npu.push_back(RecordOf(npu));
  return out;
}

base::Json ToJson(const Judgement& j) { return record::ToJson(RecordOf(j)); }

}  // namespace akgen::judge
