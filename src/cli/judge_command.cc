#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "chip/chip.h"
#include "cli/checks_option.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/sarif_output.h"
#include "judge/judge.h"

namespace akgen::cli {
namespace {
struct JudgeArgs {
  std::string project, task, json, sarif, checks = "all";
  std::string chip = "910B2", precision = "strict";
  std::vector<std::string> cases, include_dirs;
  uint64_t seed = 1, schedule = 0;
  int timeout_s = 120;
  bool verbose = false;
};

void ShowProgress(size_t done, size_t all, const std::string& what) {
  if (::isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K[{}/{}] {}", done + 1, all, what);
}

// One per case; builds that fail before any case have their own.
std::vector<report::SarifSubject> SubjectsOf(const judge::Judgement& j, const std::string& project) {
  std::vector<report::SarifSubject> out;
  for (const auto& c : j.cases) {
    if (c.skipped) continue;
    out.push_back(Subject("case " + c.id, project));
    out.back().verdict = c.verdict;
    out.back().reason = c.reason;
    out.back().findings = c.findings;
    out.back().diagnostics = j.diagnostics;
  }
  if (!out.empty()) return out;
  out.push_back(Subject(j.task, project));
  out.back().verdict = j.verdict;
  out.back().reason = j.reason;
  out.back().diagnostics = j.diagnostics;
  return out;
}

int RunJudge(const JudgeArgs& a) {
  auto task = task::LoadTask(a.task);
  if (!task.ok()) {
    PrintError(task.error());
    return kUsage;
  }
  auto model = chip::LoadChip(a.chip);
  if (!model.ok()) {
    PrintError(model.error());
    return kUsage;
  }
  auto judge = judge::Judge::Start();
  if (!judge.ok()) {
    PrintError(judge.error());
    return kFault;
  }
  judge::Options o;
  o.chip = a.chip;
  if (!(a.cases.size() == 1 && a.cases[0] == "all")) o.cases = a.cases;
  o.precision = a.precision;
  o.include_dirs = a.include_dirs;
  o.seed = a.seed;
  o.schedule = a.schedule;
  o.run_timeout_ms = a.timeout_s * 1000;
  o.checks = ChecksFrom(a.checks);
  o.progress = ShowProgress;
  judge::Judgement j = judge->Run(a.project, *task, o);
  if (::isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
  if (a.json != "-") PrintJudgement(j, a.verbose);
  if (!a.json.empty())
    if (int rc = WriteJson(judge::ToJson(j), a.json)) return rc;
  if (int rc = WriteSarif(SubjectsOf(j, a.project), a.sarif)) return rc;
  if (j.verdict == record::Verdict::kPass) return kOk;
  return j.verdict == record::Verdict::kInfraError ? kFault : kNotPassed;
}
}  // namespace

void AddJudge(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<JudgeArgs>();
  CLI::App* c = app.add_subcommand("judge", "Build an operator project, run it on the simulated chip, compare it with its task");
  c->add_option("project", args->project, "Folder with op_host/ and op_kernel/")->required();
  c->add_option("--task", args->task, "Task name (see `akgen tasks`) or folder with task.toml")->required();
  c->add_option("--case", args->cases, "Case ids, or all (default)")->delimiter(',');
  c->add_option("--chip", args->chip, "SoC to simulate")->capture_default_str();
  AddChecksOption(*c, args->checks);
  c->add_option("--precision", args->precision, "strict, or upstream for the task's own rule")->check(CLI::IsMember({"strict", "upstream"}))->capture_default_str();
  c->add_option("--seed", args->seed, "Seed of the inputs")->capture_default_str();
  c->add_option("--schedule", args->schedule, "Seed of another legal order of execution; 0: eager and in order")->capture_default_str();
  c->add_option("--timeout", args->timeout_s, "Seconds one case may run")->capture_default_str();
  c->add_option("-I,--include", args->include_dirs, "Further include folders for host code");
  c->add_option("--json", args->json, "Write the verdict record to this file (- for standard output)");
  AddSarifOption(*c, args->sarif);
  c->add_flag("-v,--verbose", args->verbose, "Show warnings and build diagnostics");
  c->footer("Example: akgen judge examples/kernels/add_double_buffer --task UnalignAdd --case 0 --json verdict.json\n"
            "Exit code: 0 pass, 1 not passed, 2 wrong use, 3 our fault.");
  c->callback([args, &exit_code] { exit_code = RunJudge(*args); });
}

void AddTasks(CLI::App& app, int& exit_code) {
  CLI::App* c = app.add_subcommand("tasks", "List the operator tasks");
  c->footer("Example: akgen tasks | grep level2\nExit code: 0.");
  c->callback([&exit_code] {
    for (const auto& t : task::ListTasks()) fmt::print("level{}  {:<16} {}\n", t.level, t.category, t.name);
    exit_code = kOk;
  });
}

}  // namespace akgen::cli
