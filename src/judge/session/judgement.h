// What a judgement says: of each case, and of the candidate as a whole.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/build_diagnostic.h"
#include "record/judgement.h"
#include "record/output_result.h"
#include "record/verdict.h"
#include "sim/launch/run_messages.h"
#include "toolchain/builder.h"

namespace akgen::judge {

struct CaseResult : record::CaseFields {
  record::Verdict verdict = record::Verdict::kInfraError;
  bool skipped = false;  // too large for the stated memory, or not run; `reason` says which
  std::vector<record::OutputResult> outputs;
  std::vector<record::OutputValues>
      values;           // of a project without a reference (judge/session/project_run.h)
  std::string prelude;  // text the kernel was built with before its source
  std::string hash;     // of the bytes of all outputs, when blocks exchanged data
  std::optional<sim::ProbeReply> probe;  // the answer to Options::probe
  std::vector<toolchain::SourceLine>
      lines;  // of the kernel's sources, from which instructions were issued

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    record::CaseFields::EachField(m, io);
    io.Field("verdict", m.verdict);
    io.Field("skipped", m.skipped);
    io.Field("outputs", m.outputs);
    io.Field("values", m.values);
    io.Field("prelude", m.prelude);
    io.Field("hash", m.hash);
    io.Field("probe", m.probe);
    io.Field("lines", m.lines);
  }
};

struct Judgement : record::JudgementFields {
  bool task_fault = false;  // what stopped it is a mistake in the task: a usage error
  bool repeatable = true;   // this machine, its load and its size play no part: fit for a cache
  std::vector<CaseResult> cases;
  std::vector<record::BuildDiagnostic> diagnostics;  // of the builds
  double build_libraries_ms = 0;  // what the host is linked with, built once for all that are
  std::vector<Judgement> npu;     // at most one: beside that of the chip, that of a real device

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    record::JudgementFields::EachField(m, io);
    io.Field("task_fault", m.task_fault);
    io.Field("repeatable", m.repeatable);
    io.Field("cases", m.cases);
    io.Field("diagnostics", m.diagnostics);
    io.Field("build_libraries_ms", m.build_libraries_ms);
    io.Field("npu", m.npu);
  }
};
// What is kept of it.
record::CaseRecord RecordOf(const CaseResult& result);
record::Judgement RecordOf(const Judgement& judgement);
base::Json ToJson(const Judgement& judgement);  // of its record

}  // namespace akgen::judge
