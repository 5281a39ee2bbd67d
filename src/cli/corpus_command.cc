// `akgen corpus`: what was tried and judged becomes something to learn from.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/corpus.h"
#include "cli/output.h"
#include "corpus/export/export.h"

namespace akgen::cli {
namespace {
struct PairArgs {
  std::vector<std::string> sources;
  std::string out, json;
  corpus::PairOptions options;
};

int RunPairs(const PairArgs& a) {
  size_t changed = 0;
  auto tries = corpus::TriesFrom(a.sources, changed);
  if (!tries.ok()) {
    PrintError(tries.error());
    return kUsage;
  }
  const auto unsealed =
      std::count_if(tries->begin(), tries->end(), [](const corpus::Try& t) { return !t.sealed; });
  if (unsealed)
    fmt::print(stderr,
               "{} of {} tries are left out: unsealed, that is judged with native execution, or by "
               "an akgen that did "
               "not say (docs/trust.md)\n",
               unsealed, tries->size());
  corpus::Built built = corpus::Build(*tries, a.options);
  if (auto s = corpus::Export(built, *tries, a.options, a.out); !s.ok()) {
    PrintError(s.error());
    return kFault;
  }
  if (a.json != "-")
    fmt::print("{}: {} tries, {} answers that pass, {} repairs, {} pairs{}\n", a.out, tries->size(),
               built.passes.size(), built.repairs.size(), built.pairs.size(),
               changed ? fmt::format("; {} candidates are gone or have changed", changed) : "");
  if (a.json.empty()) return kOk;
  return WriteJson({{"tries", tries->size()},
                    {"answers", built.passes.size()},
                    {"repairs", built.repairs.size()},
                    {"pairs", built.pairs.size()},
                    {"changed", changed},
                    {"unsealed", unsealed}},
                   a.json);
}
}  // namespace

static void AddCorpus(CLI::App& app, int& exit_code) {
  CLI::App* corpus = app.add_subcommand("corpus", "Training data from judged attempts");
  corpus->require_subcommand(1);
  AddCorpusBuild(corpus, exit_code);
  AddCorpusTasks(corpus, exit_code);
  AddCorpusPrefer(corpus, exit_code);
  auto a = std::make_shared<PairArgs>();
  CLI::App* c = corpus->add_subcommand(
      "pairs", "Passing answers, repairs and preference pairs, in the formats of trainers");
  c->add_option("source", a->sources,
                "Journals of `akgen generate` and stores of `akgen bench run`")
      ->required();
  c->add_option("--out", a->out, "Folder for the records and the exports")->required();
  c->add_option("--setting", a->options.setting,
                "order: a better verdict over a worse one, a faster pass over a slower one; paper: "
                "a pass over an answer that "
                "fails")
      ->check(CLI::IsMember({"order", "paper"}))
      ->capture_default_str();
  c->add_option("--faster", a->options.faster,
                "order: least ratio of the modelled times of a slower and a faster pass")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
  c->add_option("--per-task", a->options.per_task,
                "Maximum pairs per task, spread over their kinds; 0: all")
      ->capture_default_str();
  c->add_option("--json", a->json, "Write the counts to this file (- for standard output)");
  c->footer(
      "Example: akgen corpus pairs made/journal.jsonl run.db --out data\n"
      "DIR/samples.jsonl and DIR/pairs.jsonl hold everything; DIR/trl, llama_factory, verl and "
      "openai what their "
      "readers expect (docs/corpus.md).\n"
      "Exit code: 0, 2 a source cannot be read, 3 the folder cannot be written.");
  c->callback([a, &exit_code] { exit_code = RunPairs(*a); });
}

static const Command kCorpusCommand{120, AddCorpus};

}  // namespace akgen::cli
