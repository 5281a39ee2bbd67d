// `akgen run`: a standalone kernel.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/hash.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/project_run.h"
#include "cli/sarif_output.h"
#include "cli/sources.h"
#include "judge/run/lone.h"
#include "judge/run/lone_values.h"
#include "judge/run/simulated_chip.h"

namespace akgen::cli {
namespace {
struct RunKernelArgs {
  std::vector<std::string> files;
  std::string launch, json, sarif;
  JudgingOptions judging;
  uint64_t seed = 1, schedule = 0;
  std::vector<std::string> expected;
  double tolerance = judge::LoneOptions().tolerance;
  bool time = false;
  ProjectRunArgs project;
};

void Show(const std::string& file, const judge::LoneResult& r, bool compared) {
  PrintOutputOf(r.print);
  for (const auto& d : r.diagnostics) fmt::print("{}\n", TextOf(d));
  for (const auto& f : r.findings) PrintFinding(f, SourcesOf(file));
  if (const auto t = record::LaunchTimeFromJson(r.modelled))
    fmt::print("{}: modelled time {:.2f} us on {} cores\n", file, t->us, t->cores);
  if (std::string why = judge::WhyNoTime(r.modelled); !why.empty())
    fmt::print("{}: no modelled time: {}\n", file, why);
  PrintOutputValues(r.outputs);
  fmt::print(
      "{}: {}{} (build {:.1f} ms, run {:.1f} ms)\n", file,
      r.verdict == record::Verdict::kPass && !compared ? kNotCompared : record::NameOf(r.verdict),
      r.reason.empty() ? "" : " — " + base::Printable(r.reason), r.build_ms, r.run_ms);
}

int RunFiles(const RunKernelArgs& a) {
  if (a.files.size() == 1 && IsProject(a.files[0])) {
    judge::Options o;
    a.judging.Into(o);
    o.seed = a.seed, o.schedule = a.schedule, o.time.on = a.time;
    return RunProject(a.files[0], a.project, o, a.json);
  }
  auto chip = judge::SimulatedChip::Start();
  if (!chip.ok()) {
    PrintError(chip.error());
    return kFault;
  }
  judge::LoneOptions o;
  a.judging.Into(o);
  o.seed = a.seed, o.schedule = a.schedule, o.time.on = a.time, o.want_values = true;
  o.tolerance = a.tolerance;
  o.include_dirs = a.project.around.include_dirs;
  base::Json all = base::Json::array();
  std::vector<report::SarifSubject> subjects;
  int worst = kOk;
  Progress bar;
  for (const std::string& file : a.files) {
    bar.Show(all.size(), a.files.size(), 0, file);
    auto source = base::ReadFile(file);
    if (!source.ok()) {
      PrintError(source.error());
      return kUsage;
    }
    auto launch = judge::ParseLaunch(a.launch.empty() ? judge::LaunchComment(*source) : a.launch,
                                     std::filesystem::absolute(file).parent_path().string());
    if (!launch.ok()) {
      PrintError(launch.error());
      return kUsage;
    }
    for (const auto& arg : launch->args)
      if (a.launch.empty() && !arg.file.empty() &&
          base::LeadsOut(arg.file, std::filesystem::absolute(file).parent_path())) {
        PrintError({"AK0401",
                    "the launch comment names a file outside of the kernel's folder: " + arg.file,
                    file, "give the line with --launch"});
        return kUsage;
      }
    if (auto fits = judge::CheckLaunch(file, *launch); !fits.ok()) {
      PrintError(fits.error());
      return kUsage;
    }
    if (auto given = judge::Expect(a.expected, &*launch); !given.ok()) {
      PrintError(given.error());
      return kUsage;
    }
    judge::LoneResult r = judge::RunLone(**chip, file, *launch, o);
    bar.End();
    const bool compared =
        std::any_of(launch->args.begin(), launch->args.end(),
                    [](const auto& arg) { return arg.role == "out" && arg.filled(); });
    if (a.json != "-") Show(file, r, compared);
    if (r.verdict != record::Verdict::kPass && worst == kOk)
      worst = r.verdict == record::Verdict::kInfraError ? kFault : kNotPassed;
    subjects.push_back(Subject(file, file));
    subjects.back().verdict = r.verdict;
    subjects.back().reason = r.reason;
    subjects.back().findings = r.findings;
    subjects.back().diagnostics = r.diagnostics;
    r.file = file;
    all.push_back(record::ToJson(r));
  }
  WarnOfUnsealed(o.backend);
  if (!a.json.empty())
    if (int rc = WriteJson(all, a.json)) return rc;
  if (int rc = WriteSarif(subjects, a.sarif)) return rc;
  return worst;
}
}  // namespace

static void AddRun(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<RunKernelArgs>();
  CLI::App* c = app.add_subcommand(
      "run",
      "Run standalone kernel files, or an operator project, without a task and report findings");
  c->add_option("files", args->files,
                "Kernel sources with one extern \"C\" __global__ entry, or one folder with "
                "op_host/ and op_kernel/")
      ->required();
  c->add_option("--launch", args->launch, "Launch line; default: the source's // launch: comment");
  c->add_option("--expect", args->expected,
                "Raw bytes that the first output should hold, then those of the next")
      ->allow_extra_args(false)
      ->check(CLI::ExistingFile);
  c->add_option("--tolerance", args->tolerance, "Of expected values, absolute and relative")
      ->capture_default_str();
  args->judging.timeout_s = 60;
  args->judging.AddTo(*c);
  c->add_option("--seed", args->seed, "Seed of the inputs")->capture_default_str();
  c->add_option("--schedule", args->schedule,
                "Seed of another legal order of execution; 0: eager and in order")
      ->capture_default_str();
  c->add_flag("--time", args->time, "Model the time the launch takes on the chip");
  c->add_option("--json", args->json,
                "Write a list of results to this file (- for standard output)");
  AddSarifOption(*c, args->sarif);
  args->project.AddTo(*c);
  c->footer(
      "Example: akgen run add.cpp --launch \"blocks=2 args=in:f16[512],in:f16[512],out:f16[512]\"\n"
      "         akgen run scale.cpp --launch \"args=in:f32[64]@x.bin,out:f32[64],u32=64,f32=0.5\" "
      "--expect y.bin\n"
      "         akgen run my_op --input x=f16[8,64] --attr eps=1e-5 --output y=f16[8,64]");
  c->callback([args, &exit_code] { exit_code = RunFiles(*args); });
}

static const Command kRunCommand{20, AddRun};

}  // namespace akgen::cli
