#include "judge/judge.h"

#include "base/seed.h"
#include "judge/edits/try_edits.h"
#include "judge/run/blame.h"
#include "judge/run/real_device.h"
#include "judge/run/simulated_chip.h"
#include "judge/session/project_run.h"
#include "judge/session/session.h"

namespace akgen::judge {

base::Result<Judge> Judge::Start() {
  auto chip = SimulatedChip::Start();
  if (!chip.ok()) return chip.error();
  return Judge(std::move(*chip));
}

Judgement Judge::RunOnNpu(const std::string& project_dir, const task::TaskSpec& task,
                          const Options& options, uint64_t seed) {
  Options o = options;
  o.backend = record::Backend::kNpu;
  o.devices = {};
  o.seed = seed;
  for (sim::Check check :
       {sim::Check::kMem, sim::Check::kInit, sim::Check::kRace, sim::Check::kSync})
    o.checks[std::string(sim::NameOf(check))] = false;
  o.time = {}, o.orders = 0, o.edits = false, o.want_print = false;
  if (!npu_ || npu_id_ != options.devices.npu_id) {
    auto opened = RealDevice::Open(*executor_, {options.devices.npu_id, options.devices.profile});
    if (!opened.ok()) {
      Judgement none;
      none.task = task.name, none.project = project_dir, none.category = task.category,
      none.level = task.level;
      none.chip = o.chip, none.backend = o.backend, none.seed = seed, none.precision = o.precision;
      none.reason = opened.error().code + ": " + opened.error().message + "; " + opened.error().fix;
      return none;
    }
    npu_ = std::move(*opened), npu_id_ = options.devices.npu_id;
  }
  return Session(*npu_, reference_, task, o).Run(project_dir);
}

Judgement Judge::Run(const std::string& project_dir, const task::TaskSpec& task,
                     const Options& options) {
  Judgement j;
  try {
    std::optional<task::TaskSpec> upstream;
    if (options.inputs == "upstream") upstream = task::AsUpstream(task);
    const task::TaskSpec& drawn = upstream ? *upstream : task;
    if (!options.devices.sim) {
      j = RunOnNpu(project_dir, drawn, options, options.seed ? *options.seed : base::DrawSeed());
      j.repeatable = false;
      return j;
    }
    j = Session(*executor_, reference_, drawn, options).Run(project_dir);
    if (options.devices.npu)
      j.npu.push_back(RunOnNpu(project_dir, drawn, options, j.seed ? j.seed : base::DrawSeed()));
    if (options.edits && j.verdict != record::Verdict::kPass)
      FindEdits(*executor_, reference_, project_dir, drawn, options, j);
  } catch (const std::exception& e) {  // an internal error; the run that asked continues
    j.task = task.name, j.project = project_dir, j.category = task.category, j.level = task.level;
    j.chip = options.chip, j.backend = options.backend, j.seed = options.seed.value_or(0),
    j.precision = options.precision;
    j.verdict = record::Verdict::kInfraError;
    j.reason = std::string("an error of akgen itself: ") + e.what();
  }
  // What a machine's device says is never kept for another.
  j.repeatable = j.repeatable && j.npu.empty() && Repeatable(j.verdict);
  return j;
}

Judgement Judge::RunProject(const std::string& dir, const std::vector<ProjectCase>& cases,
                            const ProjectRun& run, const Options& options) {
  return judge::RunProject(*executor_, reference_, dir, cases, run, options);
}

ExaminedProject Judge::Examine(const std::string& dir, const Options& options) {
  return ExamineProject(*executor_, reference_, dir, options);
}

base::Result<LoneResult> Judge::RunKernel(const std::string& file, const std::string& launch,
                                          const Options& options) {
  auto line = ParseLaunch(launch);
  if (!line.ok()) return line.error();
  LoneOptions o;
  o.chip = options.chip, o.checks = options.checks, o.timeout_ms = options.run_timeout_ms;
  o.seed = options.seed.value_or(o.seed), o.time = options.time, o.backend = options.backend;
  return RunLone(*executor_, file, *line, o);
}

std::string Judge::HostKey(const std::string& project_dir, const task::TaskSpec& task,
                           const Options& options) {
  return Session(*executor_, reference_, task, options).HostKey(project_dir);
}

}  // namespace akgen::judge
