// The record of one launch of a standalone kernel: what `akgen run --json` writes of each file,
// `akgen exec --json` of a program, and akgen serve of a kernel without a task. One definition of
// its keys.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "record/backend.h"
#include "record/build_diagnostic.h"
#include "record/judgement.h"
#include "record/output_result.h"
#include "record/verdict.h"

namespace akgen::record {

struct LaunchRecord {
  std::string file;  // of the kernel; empty where whoever asked knows it
  Backend backend = kDefaultBackend;
  Verdict verdict = Verdict::kInfraError;
  std::string reason, print;                // print: what the kernel printed
  base::Json checks = base::Json::array();  // names of the checks that ran
  std::vector<std::string> build_options;   // as in a judgement
  std::vector<Finding> findings;
  std::vector<BuildDiagnostic> diagnostics;
  std::vector<OutputValues> outputs;  // of a launch that ended: nothing says what they should hold
  double build_ms = 0, run_ms = 0;
  std::string hash;                          // of the bytes of all outputs
  base::Json counts = base::Json::object();  // vector_ops, copies, bytes_in, bytes_out
  base::Json modelled;                       // judge/time/timing.h; null when nobody asked
};
base::Json ToJson(const LaunchRecord& record);
// As JudgementFromJson: AK0014.
base::Result<LaunchRecord> LaunchRecordFromJson(const base::Json& record);

// A record of either kind: that of a judgement has cases.
using AnyRecord = std::variant<Judgement, LaunchRecord>;
base::Result<AnyRecord> AnyRecordFromJson(const base::Json& record);  // AK0014

// What there is to see in either: findings of all cases, none of a launch has one.
std::vector<MergedFinding> FindingsOf(const AnyRecord& record);

}  // namespace akgen::record
