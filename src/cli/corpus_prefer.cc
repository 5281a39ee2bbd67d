// `akgen corpus prefer`: a model answers, the judge decides, and what passes stands over what does
// not.
#include <fmt/core.h>

#include <memory>

#include "base/files.h"
#include "base/hash.h"
#include "cli/corpus.h"
#include "cli/judging_options.h"
#include "cli/old_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "corpus/export/formats.h"
#include "learn/prefer.h"

namespace akgen::cli {
namespace {
struct PreferArgs {
  JudgingOptions judging;  // nothing but its backend: rewards and pairs ask for evidence
  generate::ModelSettings model;
  learn::PreferOptions options;
  std::string grammar, out, json;
  bool no_planner = false;
};

int PreferFailed(const base::Error& e) {
  PrintError(e);
  const bool wrong = e.code == "AK0708" || e.code == "AK0801" || e.code == "AK0705" ||
                     e.code == "AK0706" || e.code == "AK0001" || e.code == "AK0803" ||
                     e.code.starts_with("AK19");
  return wrong ? kUsage : kFault;
}

void PrintRates(const char* part, const learn::PassRates& rates) {
  if (rates.problems == 0) return;
  fmt::print("{}:", part);
  for (const auto& [k, share] : rates.pass_at) fmt::print(" pass@{} {:.1f} %", k, 100 * share);
  for (const auto& [verdict, n] : rates.verdicts) fmt::print(", {} {}", n, verdict);
  fmt::print("\n");
}

void Print(const learn::PreferCard& card, const std::string& out) {
  fmt::print("{}: {} problems, {} answers, {} pairs\n", out, card.all.problems, card.all.answers,
             card.pairs);
  PrintRates("composed", card.composed);
  PrintRates("tasks", card.tasks);
  for (const auto& [verdict, n] : card.unusable)
    fmt::print("{} problems left out: the planner's program ends with {}\n", n, verdict);
  if (card.too_long)
    fmt::print("{} problems left out: longer than the model's context\n", card.too_long);
  for (const std::string& trouble : card.troubles) fmt::print(stderr, "{}\n", trouble);
  if (card.left) fmt::print("{} problems are left; the same command resumes\n", card.left);
}

int RunPrefer(PreferArgs& a) {
  if (a.options.problems.compositions == 0 && a.options.problems.tasks.empty())
    return PreferFailed(
        {"AK0708", "there is nothing to ask", "", "--compositions 500, or --tasks DIR"});
  if (a.options.resample > 0 && !generate::IsLocal(a.model.url))
    return PreferFailed(
        {"AK0708", "--resample needs the folder of a local model", a.model.url, "leave it out"});
  a.options.planner = !a.no_planner;
  if (!a.grammar.empty()) {
    auto text = base::ReadFile(a.grammar);
    if (!text.ok()) return PreferFailed(text.error());
    a.model.grammar = *text;
  }
  a.options.stop = CatchStop();
  auto model = generate::MakeModel(a.model, a.options.stop);
  if (!model.ok()) return PreferFailed(model.error());
  a.options.model = model->get();
  a.options.model_record = {
      {"model", generate::IsLocal(a.model.url)       ? "local " + base::HashOfFolder(a.model.url)
                : a.model.url.starts_with("script:") ? a.model.url
                                                     : a.model.name},
      {"grammar", base::ContentHash(a.model.grammar)},
      {"temperature", a.model.temperature},
      {"top_p", a.model.top_p},
      {"max_tokens", a.model.max_tokens}};
  if (a.options.resample > 0) a.options.model_record["redraw"] = a.options.resample;
  Progress bar;
  a.options.progress = [&](size_t done, size_t all, size_t before, const std::string& what) {
    bar.Show(done, all, before, what);
  };
  auto card = learn::Prefer(a.out, a.options);
  bar.End();
  if (!card.ok()) return PreferFailed(card.error());
  if (a.json != "-") Print(*card, a.out);
  if (!a.json.empty())
    if (int rc = WriteJson(learn::ToJson(*card), a.json)) return rc;
  return card->left == 0 ? kOk : kFault;
}

void AddModel(CLI::App& c, PreferArgs& a) {
  const char* group = "Model";
  c.add_option("--model", a.model.url,
               "Folder of a local model, an OpenAI-compatible endpoint, or script:FILE")
      ->required()
      ->group(group);
  c.add_option("--model-name", a.model.name, "The endpoint's name of the model")
      ->capture_default_str()
      ->group(group);
  c.add_option("--grammar", a.grammar,
               "GBNF file that answers are held to, e.g. docs/craft/grammar.gbnf")
      ->group(group);
  c.add_option("-n,--samples", a.options.samples, "Samples per problem")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
  c.add_option("--temperature", a.model.temperature, "Sampling temperature")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  c.add_option("--top-p", a.model.top_p,
               "Nucleus sampling: cumulative probability of the tokens to draw from")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
  c.add_option("--max-tokens", a.model.max_tokens, "Maximum tokens per completion")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
  CLI::Option* resample =
      c.add_option("--resample", a.options.resample,
                   "Compiler-guided resampling: how often an answer that the language's compiler "
                   "refuses is resampled "
                   "from the line it is refused for (docs/generate.md; local models)")
          ->capture_default_str()
          ->check(CLI::NonNegativeNumber)
          ->group(group);
  AddOldName(c, "--redraw", resample);
  c.add_option("--request-timeout", a.model.timeout_s,
               "Time limit for the answers to one problem, in seconds")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(group);
}
}  // namespace

void AddCorpusPrefer(CLI::App* corpus, int& exit_code) {
  auto a = std::make_shared<PreferArgs>();
  a->model.temperature = 0.8;
  a->model.max_tokens = 1200;
  a->model.cache = false;
  CLI::App* c =
      corpus->add_subcommand("prefer",
                             "Sample and judge a model's answers to fresh compositions and tasks: "
                             "preference pairs, passing answers, and pass rates");
  auto& o = a->options;
  c->add_option("--compositions", o.problems.compositions,
                "Number of fresh compositions; a larger number later keeps the earlier ones");
  c->add_option(
       "--seed", o.problems.seed,
       "Seed of the compositions and the samples; use another one than for the training records")
      ->capture_default_str();
  CLI::Option* exclude = c->add_option("--exclude-corpus", o.problems.exclude,
                                       "Folders of `akgen corpus build`: compositions whose graph "
                                       "is in one of them are skipped")
                             ->check(CLI::ExistingDirectory);
  AddOldName(*c, "--apart", exclude);
  c->add_option("--tasks", o.problems.tasks,
                "Folder of `akgen corpus tasks`: its tasks are prompts, too")
      ->check(CLI::ExistingDirectory);
  c->add_option("--heldout", o.problems.heldout,
                "With --tasks: the file of held-out tasks; a record of such a task ends the run")
      ->check(CLI::ExistingFile);
  c->add_option("--out", a->out, "Folder of the pairs; an interrupted run there resumes")
      ->required();
  c->add_option("--per-prompt", o.per_prompt,
                "Maximum pairs per problem, the largest reward first (findings with right values, "
                "wrong answers, failed runs, "
                "answers that do not build); and most "
                "passing answers")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_flag(
      "--performance", o.time,
      "Prefer by modelled time: the fastest pass is chosen, and is also paired with a slower one");
  c->add_option("--faster", o.faster,
                "With --performance: least ratio of a rejected pass's time to that of the fastest")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
  c->add_flag("--no-planner", a->no_planner,
              "No pairs where no answer passes; default: the planner's program is chosen");
  c->add_option("--format", o.formats, "Formats of trainers")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::IsMember(corpus::FormatNames()));
  a->judging.AddTo(*c, JudgingOptions::kSealedBackend);
  c->add_option("-j,--jobs", o.jobs, "Answers judged at a time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("--json", a->json, "Write the counts to this file as well (- for standard output)");
  AddModel(*c, *a);
  c->footer(
      "Example: akgen corpus prefer --model run/sft/model --grammar docs/craft/grammar.gbnf "
      "--compositions 1000 --seed "
      "12 --exclude-corpus corpus --tasks seen --heldout models/heldout.json --out pairs\n"
      "Exit code: 0, 2 usage error, or the folder is of another model, 3 problems are left, or an "
      "internal error.");
  c->callback([a, &exit_code] { exit_code = RunPrefer(*a); });
}

}  // namespace akgen::cli
