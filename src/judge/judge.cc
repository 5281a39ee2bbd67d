#include "judge/judge.h"

#include "judge/blame.h"
#include "judge/project_run.h"
#include "judge/session.h"
#include "judge/simulated_chip.h"
#include "judge/try_edits.h"

namespace akgen::judge {

base::Result<Judge> Judge::Start() {
  auto chip = SimulatedChip::Start();
  if (!chip.ok()) return chip.error();
  return Judge(std::move(*chip));
}

Judgement Judge::Run(const std::string& project_dir, const task::TaskSpec& task, const Options& options) {
  Judgement j;
  try {
    std::optional<task::TaskSpec> upstream;
    if (options.inputs == "upstream") upstream = task::AsUpstream(task);
    const task::TaskSpec& drawn = upstream ? *upstream : task;
    j = Session(*executor_, reference_, drawn, options).Run(project_dir);
    if (options.edits && j.verdict != record::Verdict::kPass)
      FindEdits(*executor_, reference_, project_dir, drawn, options, j);
  } catch (const std::exception& e) {  // an internal error; the run that asked continues
    j.task = task.name, j.project = project_dir, j.category = task.category, j.level = task.level;
    j.chip = options.chip, j.backend = options.backend, j.seed = options.seed.value_or(0),
    j.precision = options.precision;
    j.verdict = record::Verdict::kInfraError;
    j.reason = std::string("an error of akgen itself: ") + e.what();
  }
  j.repeatable = j.repeatable && Repeatable(j.verdict);
  return j;
}

Judgement Judge::RunProject(const std::string& dir, const std::vector<ProjectCase>& cases, const ProjectRun& run,
                            const Options& options) {
  return judge::RunProject(*executor_, reference_, dir, cases, run, options);
}

ExaminedProject Judge::Examine(const std::string& dir, const Options& options) {
  return ExamineProject(*executor_, reference_, dir, options);
}

base::Result<LoneResult> Judge::RunKernel(const std::string& file, const std::string& launch, const Options& options) {
  auto line = ParseLaunch(launch);
  if (!line.ok()) return line.error();
  LoneOptions o;
  o.chip = options.chip, o.checks = options.checks, o.timeout_ms = options.run_timeout_ms;
  o.seed = options.seed.value_or(o.seed), o.time = options.time, o.backend = options.backend;
  return RunLone(*executor_, file, *line, o);
}

std::string Judge::HostKey(const std::string& project_dir, const task::TaskSpec& task, const Options& options) {
  return Session(*executor_, reference_, task, options).HostKey(project_dir);
}

}  // namespace akgen::judge
