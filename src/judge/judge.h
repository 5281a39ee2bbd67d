// Candidate × task → verdict. Owns the helper processes; the process that judges loads no
// candidate, no LLVM, no libtorch.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "judge/executor.h"
#include "judge/lone.h"
#include "judge/pack.h"
#include "judge/timing.h"
#include "record/backend.h"
#include "record/build_diagnostic.h"
#include "record/judgement.h"
#include "record/output_result.h"
#include "record/verdict.h"
#include "task/reference_client.h"
#include "task/task.h"

namespace akgen::judge {

// What a candidate is judged on: the simulated chip, a real device, or one after the other.
struct DeviceOptions {
  bool sim = true, npu = false;
  int npu_id = 0;
  bool profile = true;  // with the vendor's profiler where there is one
};

struct Options {
  std::string chip{chip::kDefaultChip};
  std::vector<std::string> cases;   // ids; empty: every case
  std::vector<task::CaseRow> rows;  // when not empty, these cases in place of the task's own
  std::string inputs = "wide";  // wide: as task.toml draws them; upstream: as the benchmark does
  bool range = true;            // after the cases of a task, its range group (task/range.h)
  std::string precision = "strict";  // strict (task/strict.h) or upstream (the task's own rule)
  std::vector<std::string> include_dirs;  // further folders for host code and kernels
  std::string repository,
      with_sources;  // toolchain/repository.h: where the project lies, the operator-base library
  bool kernel_only =
      false;         // the candidate is a kernel; its host side is `host`, a project's folder, or
  std::string host;  //   where that is empty the task's own (judge/skeleton.h)
  std::optional<uint64_t>
      seed;  // of the inputs; without one it is drawn after the host side was built
  int run_timeout_ms = 120000;               // of one case; on the clock 1.5 times as much
  base::Json checks = base::Json::object();  // as sim::ChecksFromJson reads them
  uint64_t schedule = 0;  // legal order of execution (sim/exec/schedule.h), 0: the eager one
  int orders = 3;         // so many others, for kernels whose blocks exchange data
  std::optional<sim::RunProbe> probe;  // when set, nothing is compared
  bool want_lines = false;             // fill CaseResult::lines
  bool want_print = false;  // fill CaseResult::print; hidden inputs could be read from it
  bool edits = false;       // fill Finding::edits; tries them, up to a hundred judgements more
  TimeOptions time;         // asks for modelled time of every case
  record::Backend backend = record::kDefaultBackend;
  DeviceOptions devices;
  // Where there is no task: inputs of the user's own, expected values of another origin, and a look
  // at the outputs.
  std::function<base::Status(const task::CaseDesc&, const task::TensorSet& inputs)> fill_inputs;
  std::function<base::Result<task::TensorSet>(const task::CaseDesc&, const task::TensorSet& inputs)>
      expected;
  std::function<void(const task::CaseDesc&, const Packed& outputs)> outputs;
  bool show_values =
      false;  // the host side sees the values of every input that its definition asks for
  std::function<void(size_t done, size_t all, const std::string& what)> progress;
};

struct ProjectCase;  // judge/project_run.h, as the next two
struct ProjectRun;
struct ExaminedProject;

struct CaseResult : record::CaseFields {
  record::Verdict verdict = record::Verdict::kInfraError;
  bool skipped = false;  // too large for the stated memory, or not run; `reason` says which
  std::vector<record::OutputResult> outputs;
  std::vector<record::OutputValues>
      values;                            // of a project without a reference (judge/project_run.h)
  std::string prelude;                   // text the kernel was built with before its source
  std::string hash;                      // of the bytes of all outputs, when blocks exchanged data
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

class Judge {
 public:
  explicit Judge(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}
  // On the simulated chip. AK0013 when its helper processes cannot be started.
  static base::Result<Judge> Start();
  Judgement Run(const std::string& project_dir, const task::TaskSpec& task, const Options& options);
  // Key of the build of the host side as the files are now, those below options.include_dirs among
  // them; "" where there is nothing to build. The judgement's provenance says which one it was
  // built from ("host_build").
  std::string HostKey(const std::string& project_dir, const task::TaskSpec& task,
                      const Options& options);
  // Without a task (judge/project_run.h).
  Judgement RunProject(const std::string& dir, const std::vector<ProjectCase>& cases,
                       const ProjectRun& run, const Options& options);
  ExaminedProject Examine(const std::string& dir, const Options& options);
  // A standalone kernel; of the options chip, checks, seed, time and run_timeout_ms. AK0401.
  base::Result<LoneResult> RunKernel(const std::string& file, const std::string& launch,
                                     const Options& options);
  task::ReferenceClient& reference() { return reference_; }

 private:
  Judgement RunOnNpu(const std::string& project_dir, const task::TaskSpec& task,
                     const Options& options, uint64_t seed);
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Executor> npu_;  // once a device was asked for, number npu_id_
  int npu_id_ = 0;
  task::ReferenceClient reference_;
};

}  // namespace akgen::judge
