// `akgen lm reinforce`: akgen-lm trains, the judge rewards.
#include <fmt/core.h>

#include <memory>

#include "cli/judging_options.h"
#include "cli/layers_option.h"
#include "cli/lm.h"
#include "cli/old_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "learn/reinforce.h"

namespace akgen::cli {
namespace {
struct ReinforceArgs {
  JudgingOptions judging;  // nothing but its backend: rewards and pairs ask for evidence
  std::string config, out, json;
  learn::ReinforceOptions options;
  bool require_layers = false;
};

int ReinforceFailed(const base::Error& e) {
  PrintError(e);
  return e.code == "AK0708" || e.code == "AK0801" || e.code == "AK0803" || e.code == "AK0001" ||
                 e.code == "AK1921"
             ? kUsage
             : kFault;
}

int RunReinforce(ReinforceArgs& a) {
  if (a.options.problems.compositions == 0 && a.options.problems.tasks.empty())
    return ReinforceFailed(
        {"AK0708", "there is nothing to ask", "", "--compositions 500, or --tasks DIR"});
  if (int rc = CheckLayers(a.require_layers)) return rc;
  auto settings = ReadSettings(a.config);
  if (!settings.ok()) return ReinforceFailed(settings.error());
  a.options.stop = CatchStop();
  Progress bar;
  auto done = learn::Reinforce(std::move(*settings), a.out, a.options, [&](size_t n, size_t all) {
    bar.Show(n, all, 0, "reading the tasks");
  });
  bar.End();
  if (!done.ok()) return ReinforceFailed(done.error());
  if (a.json != "-") {
    fmt::print("{}: {} steps", a.out, done->steps);
    for (const auto& [verdict, n] : done->verdicts) fmt::print(", {} {}", n, verdict);
    fmt::print("\n");
  }
  WarnOfMissingLayers();
  if (!a.json.empty())
    if (int rc = WriteJson(learn::ToJson(*done), a.json)) return rc;
  return done->exit_code;
}
}  // namespace

void AddLmReinforce(CLI::App* lm, int& exit_code) {
  auto a = std::make_shared<ReinforceArgs>();
  CLI::App* c = lm->add_subcommand(
      "reinforce",
      "GRPO with the judge in the loop: answers to fresh compositions and tasks get rewards");
  auto& o = a->options;
  c->add_option("--config", a->config,
                "Settings of akgen lm train, a TOML file; objective and data are set here")
      ->required()
      ->check(CLI::ExistingFile);
  c->add_option("--out", a->out,
                "Folder of the run; beside it OUT.prompts.jsonl and OUT.answers.jsonl")
      ->required();
  c->add_flag("--resume", o.resume, "Resume the run in the folder");
  c->add_option("--compositions", o.problems.compositions, "Number of fresh compositions");
  c->add_option("--seed", o.problems.seed,
                "Seed of the compositions; use another one than for the training records")
      ->capture_default_str();
  CLI::Option* exclude = c->add_option("--exclude-corpus", o.problems.exclude,
                                       "Folders of `akgen corpus build`: compositions whose graph "
                                       "is in one of them are skipped")
                             ->check(CLI::ExistingDirectory);
  AddOldName(*c, "--apart", exclude);
  c->add_option("--tasks", o.problems.tasks,
                "Folder of `akgen corpus tasks`: its tasks are prompts, too")
      ->check(CLI::ExistingDirectory);
  c->add_option("--heldout", o.problems.heldout, "With --tasks: the file of held-out tasks")
      ->check(CLI::ExistingFile);
  c->add_flag("--performance", o.time,
              "Reward by modelled time: up to a quarter more for a pass, by the share of the least "
              "time that the chip "
              "allows");
  a->judging.AddTo(*c, JudgingOptions::kSealedBackend);
  c->add_option("-j,--jobs", o.jobs, "Answers judged at a time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  AddLayersOption(*c, a->require_layers);
  c->add_option("--json", a->json, "Write the counts to this file (- for standard output)");
  c->footer(
      "Example: akgen lm reinforce --config grpo.toml --out run/grpo --compositions 1000 --seed 13 "
      "--exclude-corpus "
      "corpus "
      "--performance\n"
      "Exit code: 0, 2 usage error, 3 internal error.");
  c->callback([a, &exit_code] { exit_code = RunReinforce(*a); });
}

}  // namespace akgen::cli
