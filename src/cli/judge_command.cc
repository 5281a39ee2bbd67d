// `akgen judge` and `akgen tasks`.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/craft_run.h"
#include "cli/judge_program.h"
#include "cli/judging_options.h"
#include "cli/layers_option.h"
#include "cli/named.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/project_run.h"
#include "cli/sarif_output.h"
#include "cli/sources.h"
#include "judge/host/skeleton.h"
#include "judge/judge.h"

namespace akgen::cli {
namespace {
struct JudgeArgs {
  std::string project, task, json, sarif, precision = "strict", inputs = "wide", mode = "full",
                                          host, repository, with_sources;
  JudgingOptions judging;
  std::vector<std::string> cases, include_dirs;
  std::optional<uint64_t> seed;
  uint64_t schedule = 0;
  int orders = judge::Options().orders;
  bool verbose = false, time = false, require_layers = false, edits = false;
};

// One per case; builds that fail before any case have their own.
std::vector<report::SarifSubject> SubjectsOf(const judge::Judgement& j,
                                             const std::string& project) {
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
  if (!a.host.empty() && a.mode != "kernel-only") {
    PrintError({"AK0314", "--host gives a host side, but the project brings its own", a.host,
                "add --mode kernel-only"});
    return kUsage;
  }
  const std::string task_name = a.task.empty() ? TaskBeside(a.project) : a.task;
  if (task_name.empty() && IsProgram(a.project))
    return ValidateProgram(a.project, a.judging, a.seed.value_or(1), a.json);
  if (task_name.empty()) {
    PrintError({"AK0101", "no task is named", a.project,
                "add --task NAME (`akgen tasks` lists them), or `akgen run` judges a project "
                "without one"});
    return kUsage;
  }
  auto task = task::LoadTask(task_name);
  if (!task.ok()) {
    PrintError(task.error());
    return kUsage;
  }
  auto model = chip::LoadChip(a.judging.chip);
  if (!model.ok()) {
    PrintError(model.error());
    return kUsage;
  }
  judge::Options o;
  a.judging.Into(o);
  if (!(a.cases.size() == 1 && a.cases[0] == "all")) o.cases = a.cases;
  std::replace(o.cases.begin(), o.cases.end(), std::string("typical"), task::TypicalCase(*task));
  for (const auto& named : {ProjectIsThere(a.project), CasesAreThere(*task, o.cases)})
    if (!named.ok()) {
      PrintError(named.error());
      return kUsage;
    }
  if (int rc = CheckLayers(a.require_layers)) return rc;
  int refused = kOk;
  const bool program = IsProgram(a.project);
  const auto lowered =
      program ? LowerToJudge(a.project, *task, a.judging.chip, a.json, &refused) : std::nullopt;
  if (program && !lowered) return refused;
  auto judge = judge::Judge::Start();
  if (!judge.ok()) {
    PrintError(judge.error());
    return kFault;
  }
  o.precision = a.precision, o.inputs = a.inputs;
  AroundOptions{a.include_dirs, a.repository, a.with_sources}.Into(a.project, o);
  o.kernel_only = a.mode == "kernel-only";
  o.host = a.host;
  o.seed = a.seed;
  o.schedule = a.schedule;
  o.orders = a.orders;
  o.time.on = a.time;
  o.edits = a.edits;
  o.want_print = true;
  Progress bar;
  o.progress = bar.Steps();
  const std::string folder = lowered ? lowered->path().string() : a.project;
  judge::Judgement j = judge->Run(folder, *task, o);
  bar.End();
  if (a.json != "-") {
    PrintJudgement(j, SourcesOf(folder), a.verbose);
    if (lowered && j.verdict != record::Verdict::kPass)
      fmt::print("places are those of the project that `akgen craft lower {} --out DIR` writes\n",
                 a.project);
    if (!j.range.empty()) fmt::print("range group: {}\n", j.range);
  }
  if (!a.json.empty())
    if (int rc = WriteJson(judge::ToJson(j), a.json)) return rc;
  if (int rc = WriteSarif(SubjectsOf(j, a.project), a.sarif)) return rc;
  WarnOfUnsealed(j.backend);
  if (j.task_fault) return kUsage;
  if (j.verdict == record::Verdict::kPass) {
    WarnOfMissingLayers();
    return kOk;
  }
  return j.verdict == record::Verdict::kInfraError ? kFault : kNotPassed;
}
}  // namespace

static void AddJudge(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<JudgeArgs>();
  CLI::App* c = app.add_subcommand(
      "judge", "Build an operator project, run it on the simulated chip, compare it with its task");
  c->add_option("project", args->project,
                "Folder with op_host/ and op_kernel/, or a program of the kernel language (.py)")
      ->required();
  c->add_option("--task", args->task,
                "Task name (see `akgen tasks`) or folder with task.toml; default: the project's "
                "folder task, and for a "
                "program without one its interpreter is the reference, on its `# try:` cases");
  c->add_option("--case", args->cases, "Case ids, all (default), or typical: one of medium size")
      ->delimiter(',');
  args->judging.AddTo(*c, JudgingOptions::kAll | JudgingOptions::kDevice);
  c->add_option("--inputs", args->inputs,
                "wide, or upstream for the benchmark's own number: its distributions, without the "
                "range group")
      ->check(CLI::IsMember({"wide", "upstream"}));
  c->add_option("--precision", args->precision, "strict, or upstream for the task's own rule")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str();
  c->add_option("--mode", args->mode,
                "full: the project has host and kernel; kernel-only: only its op_kernel/, or the "
                "folder's sources, is "
                "used")
      ->check(CLI::IsMember({"full", "kernel-only"}))
      ->capture_default_str();
  c->add_option("--host", args->host,
                "kernel-only: a project whose op_host/ is the host side; default: the task's "
                "(`akgen tasks --skeleton`)");
  c->add_option("--seed", args->seed, "Seed of the inputs; default: drawn, and recorded");
  c->add_option("--schedule", args->schedule,
                "Seed of another legal order of execution; 0: eager and in order")
      ->capture_default_str();
  c->add_option("--orders", args->orders,
                "Further legal orders of execution under which a kernel whose blocks exchange data "
                "must be right too")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  c->add_option("-I,--include", args->include_dirs,
                "Further include folders for host code and kernels");
  c->add_option("--repository", args->repository,
                "Repository of operators that the project is one of (`akgen run --help`)");
  c->add_option("--with-sources", args->with_sources,
                "Checkout of the operator-base library that it is written against");
  c->add_flag("--time", args->time,
              "Model the time of every case, and its baselines: bound and eager");
  c->add_flag("--edits", args->edits,
              "For each finding, look for edits of the sources that make it go away: they are "
              "tried on a copy");
  c->add_option("--json", args->json,
                "Write the verdict record to this file (- for standard output)");
  AddSarifOption(*c, args->sarif);
  AddLayersOption(*c, args->require_layers);
  c->add_flag("-v,--verbose", args->verbose, "Show warnings and build diagnostics");
  c->footer(
      "Example: akgen judge examples/kernels/add_double_buffer --task UnalignAdd --case 0 --json "
      "verdict.json\n"
      "         akgen judge examples/craft/softmax.py\n"
      "Exit code: 0 pass, 1 not passed, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunJudge(*args); });
}

static const Command kJudgeCommand{10, AddJudge};

namespace {
// Writes what a candidate starts from; nothing that is there is overwritten.
int WriteSkeleton(const std::string& name, const std::string& out) {
  namespace fs = std::filesystem;
  auto task = task::LoadTask(name);
  auto files = task.ok() ? judge::ProjectSkeleton(*task) : task.error();
  if (!files.ok()) {
    PrintError(files.error());
    return kUsage;
  }
  for (const auto& [path, text] : *files) {
    const fs::path file = fs::path(out) / path;
    std::error_code ec;
    fs::create_directories(file.parent_path(), ec);
    if (fs::exists(file, ec)) {
      PrintError(
          {"AK0002", "there is a file already", file.string(), "name another folder with --out"});
      return kUsage;
    }
  }
  for (const auto& [path, text] : *files) {
    if (auto s = base::WriteFileAtomic(fs::path(out) / path, text); !s.ok()) {
      PrintError(s.error());
      return kFault;
    }
    fmt::print("{}\n", (fs::path(out) / path).string());
  }
  return kOk;
}
}  // namespace

static void AddTasks(CLI::App& app, int& exit_code) {
  auto skeleton = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>();
  CLI::App* c =
      app.add_subcommand("tasks", "List the operator tasks, or write a project skeleton for one");
  auto* of =
      c->add_option("--skeleton", *skeleton, "Task to write a host side and an empty kernel for");
  c->add_option("--out", *out, "Folder to write them to")->needs(of);
  c->footer(
      "Example: akgen tasks | grep level2\n"
      "         akgen tasks show SwiGlu\n"
      "         akgen tasks new my_op --out tasks_of_mine/MyOp\n"
      "         akgen tasks --skeleton FastGelu --out my_gelu && akgen judge my_gelu --task "
      "FastGelu --mode "
      "kernel-only\n"
      "Exit code: 0, 2 usage error.");
  AddTasksShow(*c, exit_code);
  AddTasksNew(*c, exit_code);
  c->callback([c, skeleton, out, &exit_code] {
    if (!c->get_subcommands().empty()) return;
    if (!skeleton->empty()) {
      exit_code = WriteSkeleton(*skeleton, out->empty() ? *skeleton : *out);
      return;
    }
    for (const auto& t : task::ListTasks())
      fmt::print("level{}  {:<16} {}\n", t.level, t.category, t.name);
    exit_code = kOk;
  });
}

static const Command kTasksCommand{80, AddTasks};

}  // namespace akgen::cli
