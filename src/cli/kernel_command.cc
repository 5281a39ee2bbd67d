// `akgen kernel`: a function in PyTorch becomes a kernel that is verified.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "base/seed.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "generate/kernel.h"

namespace akgen::cli {
namespace {
struct KernelArgs {
  generate::KernelRequest request;
  JudgingOptions judging;
  std::string out, json;
  std::optional<uint64_t> seed;
  bool time = false, verbose = false;
};

void PrintKernel(const generate::KernelAnswer& answer, const KernelArgs& a) {
  const record::KernelRecord& r = answer.record;
  if (r.verdict == "refused") {
    PrintError({r.refusal.code, r.reason,
                r.refusal.line ? fmt::format("{}:{}", r.file, r.refusal.line) : r.file, ""});
    if (!r.refusal.text.empty())
      fmt::print(stderr, "{}",
                 base::Printable(report::ExcerptOfLine(r.refusal.text, r.refusal.line, "", "  ")));
    return;
  }
  if (!r.verified || a.verbose)
    PrintJudgement(answer.judgement, SourcesOf(a.request.out), a.verbose);
  fmt::print("{}: {}{}; {} cases, {} hidden cases; range group {}\n", r.function, r.verdict,
             r.reason.empty() ? "" : ": " + r.reason, r.cases, r.hidden,
             r.range.empty() ? "not run" : r.range);
  for (const record::Guard& g : r.guards)
    if (g.kind != "rank" && g.kind != "dtype")
      fmt::print("  for {}{}\n", g.text, g.require.empty() ? " (the caller's to check)" : "");
  for (const std::string& n : r.notes) fmt::print("  note: {}\n", n);
  if (!a.out.empty()) fmt::print("the project is in {}\n", a.out);
}

int RunKernelCommand(KernelArgs& a) {
  auto chip = chip::LoadChip(a.judging.chip);
  if (!chip.ok()) {
    PrintError(chip.error());
    return kUsage;
  }
  std::optional<base::TempDir> temporary;
  if (a.out.empty()) {
    auto made = base::TempDir::Create();
    if (!made.ok()) {
      PrintError(made.error());
      return kFault;
    }
    temporary.emplace(std::move(*made));
  }
  generate::KernelRequest& q = a.request;
  q.out = temporary ? temporary->path() : std::filesystem::path(a.out);
  q.chip = *chip;
  a.judging.Into(q.judging);
  q.judging.seed = a.seed.value_or(base::DrawSeed());
  q.judging.time.on = a.time || !a.out.empty();
  Progress bar;
  q.progress = [&](const std::string& what) { bar.Show(0, 0, 0, what); };
  auto answer = generate::MakeKernel(q);
  bar.End();
  if (!answer.ok()) {
    PrintError(answer.error());
    return answer.error().code == "AK1545" ? kUsage : kFault;
  }
  if (temporary) answer->record.task.clear(), answer->record.project.clear();
  if (a.json != "-") PrintKernel(*answer, a);
  if (!a.json.empty())
    if (int rc = WriteJson(record::ToJson(answer->record), a.json)) return rc;
  return answer->record.verified                   ? kOk
         : answer->record.verdict == "infra_error" ? kFault
                                                   : kNotPassed;
}
}  // namespace

static void AddKernel(CLI::App& app, int& exit_code) {
  auto a = std::make_shared<KernelArgs>();
  CLI::App* c = app.add_subcommand("kernel", "Make a verified kernel of a function in PyTorch");
  c->add_option("function", a->request.file,
                "FILE.py:NAME, or FILE.py where it has one function or module")
      ->required();
  c->add_option("--example", a->request.examples,
                "Arguments, one set each: 'x=f16[1024,4096] eps=1e-5'; default: the file's `# "
                "case:` lines or `cases`")
      ->allow_extra_args(false);
  c->add_option("--fix", a->request.fix,
                "A parameter, NAME, or a dimension of one, NAME.0, that stays as in the examples")
      ->allow_extra_args(false);
  c->add_option("--out", a->out,
                "Folder for the project: sources, build files, shape inference, binding for "
                "PyTorch, task, verdict");
  c->add_option("--hidden", a->request.hidden, "Hidden cases that a pass must pass as well")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  c->add_option("--seed", a->seed, "Seed of the inputs; default: drawn");
  c->add_flag("--time", a->time, "Model the time of every case; --out does so too");
  a->judging.AddTo(*c, JudgingOptions::kAll);
  c->add_option("--json", a->json,
                "Write verdict, guards and refusal to this file (- for standard output)");
  c->add_flag("-v,--verbose", a->verbose, "Show the cases of a pass too");
  c->footer(
      "Example: akgen kernel net.py:norm --example 'x=f16[64,1024] weight=f16[1024] eps=1e-6' "
      "--out norm\n"
      "PyTorch records what the function does: $AKGEN_PYTHON, else python3, with PyTorch 1.13 or "
      "newer.\n"
      "Exit code: 0 verified, 1 refused or not passed, 2 usage error, 3 internal error or no "
      "PyTorch.");
  c->callback([a, &exit_code] { exit_code = RunKernelCommand(*a); });
}

static const Command kKernelCommand{105, AddKernel};

}  // namespace akgen::cli
