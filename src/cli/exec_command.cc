// `akgen exec`: a program whose main() launches kernels.
#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/sarif_output.h"
#include "cli/sources.h"
#include "judge/run/program.h"
#include "judge/run/simulated_chip.h"

namespace akgen::cli {
namespace {
struct ExecArgs {
  judge::ProgramRequest program;
  std::string json, sarif;
  JudgingOptions judging;
};

std::string TimeText(const judge::ProgramTime& t) {
  if (!t.none.empty()) return "no modelled time: " + t.none;
  return fmt::format("modelled time {:.2f} us in {} launch{}, the host's half apart", t.us,
                     t.launches.size(), t.launches.size() == 1 ? "" : "es");
}

void Show(const judge::ProgramResult& r, const std::string& source) {
  if (r.verdict == record::Verdict::kBuildError || r.verdict == record::Verdict::kUnsupported)
    for (const auto& d : r.diagnostics) fmt::print(stderr, "{}\n", TextOf(d));
  fmt::print("{}", base::MovesCursor(STDOUT_FILENO) ? base::Printable(r.console) : r.console);
  std::fflush(stdout);
  if (r.time) fmt::print("{}\n", TimeText(*r.time));
  for (const auto& f : r.findings) PrintFinding(f, SourcesOf(source));
  if (r.verdict != record::Verdict::kPass)
    fmt::print("{}{}\n", record::NameOf(r.verdict), r.reason.empty() ? "" : " — " + r.reason);
}

int Exec(ExecArgs& a) {
  auto chip = judge::SimulatedChip::Start();
  if (!chip.ok()) {
    PrintError(chip.error());
    return kFault;
  }
  a.program.chip = a.judging.chip;
  a.program.checks = a.judging.Checks();
  a.program.timeout_ms = a.judging.timeout_s * 1000;
  judge::ProgramResult r = judge::RunProgram(**chip, a.program);
  if (a.json != "-") Show(r, a.program.sources[0]);
  if (!a.json.empty())
    if (int rc = WriteJson(judge::ToJson(r), a.json)) return rc;
  report::SarifSubject subject = Subject(a.program.sources.front(), a.program.sources.front());
  subject.verdict = r.verdict;
  subject.reason = r.reason;
  subject.findings = r.findings;
  subject.diagnostics = r.diagnostics;
  if (int rc = WriteSarif({subject}, a.sarif)) return rc;
  if (r.verdict == record::Verdict::kPass) return kOk;
  return r.verdict == record::Verdict::kInfraError ? kFault : kNotPassed;
}
}  // namespace

static void AddExec(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ExecArgs>();
  args->program.cwd = ".";
  CLI::App* c = app.add_subcommand(
      "exec", "Build and run a program whose main() launches kernels with <<<>>>");
  c->add_option("sources", args->program.sources,
                "Its sources (.asc, .cpp), those of its kernels too")
      ->required()
      ->check(CLI::ExistingFile);
  c->add_option("-D", args->program.defines, "Macro: NAME or NAME=VALUE")->allow_extra_args(false);
  c->add_option("-I", args->program.include_dirs, "Further include folder")
      ->allow_extra_args(false);
  c->add_option("--arg", args->program.arguments, "Argument for main()")->allow_extra_args(false);
  c->add_option("--cwd", args->program.cwd, "Folder to run in, the only one it may write to")
      ->check(CLI::ExistingDirectory);
  c->add_option("--read", args->program.readable, "File or folder that it may read besides")
      ->allow_extra_args(false)
      ->check(CLI::ExistingPath);
  c->add_option(
      "--call", args->program.call,
      "Of a PyTorch extension: the operator to call, e.g. \"run(x=f32[8,64]~normal(0,1), 0.01)\"");
  c->add_option("--seed", args->program.seed, "Seed of what --call draws")->capture_default_str();
  c->add_option("--expect", args->program.expected,
                "Raw bytes of a result of --call: the first one's, then the next")
      ->allow_extra_args(false)
      ->check(CLI::ExistingFile);
  c->add_option("--tolerance", args->program.tolerance, "Of --expect, absolute and relative")
      ->capture_default_str();
  c->add_flag("--time", args->program.time, "Model the time of its launches");
  args->judging.timeout_s = 60;
  args->judging.AddTo(*c,
                      JudgingOptions::kChip | JudgingOptions::kChecks | JudgingOptions::kTimeout);
  c->add_option("--json", args->json, "Write the result to this file (- for standard output)");
  AddSarifOption(*c, args->sarif);
  c->footer(
      "Example: akgen exec add.asc -DSCENARIO_NUM=1 --cwd build\n"
      "         akgen exec main.cpp kernels.cpp -I include\n"
      "         akgen exec custom_op.asc --call \"run(x=f32[8,64], 0.01)\" --cwd out    # results "
      "are written to out\n"
      "A program is your own code: it and its kernels run as machine code in the sandbox, and its "
      "result is not sealed "
      "(docs/trust.md).\n"
      "Exit code: 0 pass, 1 not passed, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = Exec(*args); });
}

static const Command kExecCommand{60, AddExec};

}  // namespace akgen::cli
