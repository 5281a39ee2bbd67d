// `akgen mutate`: plants faults, and sees which are caught.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "judge/examine.h"
#include "mutate/mutate.h"

namespace akgen::cli {
namespace {
struct MutateArgs {
  std::string path, json;
  judge::ExamineOptions examine;
  JudgingOptions judging;
  size_t count = 0;
  bool list = false;
};

std::string OutcomeOf(const judge::Mutant& m) {
  if (!m.observed) return "";
  if (!m.Observable()) return "not observable";
  return m.Caught() ? "caught: " + m.observed->checked->by : "MISSED";
}

void ShowMutants(const judge::Examined& done) {
  for (const judge::Mutant& m : done.mutants)
    fmt::print("{:4} {:<18} {}:{}  {}  {}\n", m.number, m.label.klass, m.label.file, m.label.line,
               m.label.what, OutcomeOf(m));
  if (!done.usable) fmt::print("not usable: {}\n", done.reason);
}

int Mutate(MutateArgs& a) {
  if (a.list) {
    for (const auto& op : mutate::Operators()) fmt::print("{:<18} {}\n", op.klass, op.what);
    return kOk;
  }
  if (a.path.empty()) {
    fmt::print(stderr, "akgen mutate: name a project or a kernel file, or --list\n");
    return kUsage;
  }
  if (a.count) a.examine.count = a.count;
  a.examine.chip = a.judging.chip, a.examine.backend = a.judging.Backend();
  Progress bar;
  a.examine.progress = bar.Steps();
  auto done = judge::Examine(a.path, a.examine);
  bar.End();
  if (!done.ok()) {
    PrintError(done.error());
    return done.error().code.starts_with("AK03") || done.error().code.starts_with("AK01") ||
                   done.error().code == "AK0401"
               ? kUsage
               : kFault;
  }
  if (a.json != "-") ShowMutants(*done);
  if (!a.json.empty())
    if (int rc = WriteJson(judge::ToJson(*done), a.json)) return rc;
  if (!done->usable) return kNotPassed;
  for (const judge::Mutant& m : done->mutants)
    if (m.Observable() && !m.Caught()) return kNotPassed;
  return kOk;
}
}  // namespace

static void AddMutate(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<MutateArgs>();
  args->examine.run = false;
  CLI::App* c = app.add_subcommand("mutate",
                                   "Plant faults in a correct kernel, one per mutant, each "
                                   "labelled; with --examine see which are caught");
  c->add_option("project", args->path, "Project folder (with --task), or a standalone kernel file")
      ->check(CLI::ExistingPath);
  c->add_option("--out", args->examine.out,
                "Folder for the mutants: NUMBER/ with the sources, NUMBER.json with the label");
  c->add_option("--seed", args->examine.seed,
                "Which faults are chosen when there are more than --count")
      ->capture_default_str();
  c->add_option("--class", args->examine.classes, "Classes of faults (see --list); default: all")
      ->delimiter(',')
      ->check([](const std::string& name) {
        const auto& all = mutate::Operators();
        return std::any_of(all.begin(), all.end(), [&](const auto& o) { return o.klass == name; })
                   ? ""
                   : "there is no class '" + name + "'; --list has them";
      });
  c->add_option("--count", args->count, "At most so many mutants, spread over the classes");
  c->add_option("--task", args->examine.task, "The project's task");
  c->add_option("--case", args->examine.case_id, "Case to run it on; default: one of medium size");
  c->add_option("-I,--include", args->examine.include_dirs,
                "Further include folders for host code");
  args->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kBackend);
  c->add_flag("--examine", args->examine.run,
              "Run each mutant: is the fault observable, and is it caught?");
  c->add_option("--schedules", args->examine.schedules,
                "Legal orders of execution that decide whether a fault matters")
      ->capture_default_str();
  c->add_option("--json", args->json,
                "Write labels and outcomes to this file (- for standard output)");
  c->add_flag("--list", args->list, "List the classes of faults");
  c->footer(
      "Examples: akgen mutate kernel.cpp --out mutants --seed 1 --count 20\n"
      "          akgen mutate examples/kernels/fast_gelu --task FastGelu --examine --json "
      "report.json\n"
      "Exit code: 0 all caught (or planted), 1 some were missed or the kernel is not usable, 2 "
      "usage error, 3 "
      "internal error.");
  c->callback([args, &exit_code] { exit_code = Mutate(*args); });
}

static const Command kMutateCommand{70, AddMutate};

}  // namespace akgen::cli
