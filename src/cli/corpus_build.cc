// `akgen corpus build`: a corpus from nothing but a seed.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "cli/corpus.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "corpus/card.h"
#include "corpus/synthetic.h"

namespace akgen::cli {
namespace {
struct BuildArgs {
  std::string out, json;
  corpus::SyntheticOptions synthetic;
  uint64_t count = 0;
};

int Failed(const base::Error& e) {
  PrintError(e);
  return e.code == "AK0801" || e.code == "AK1001" ? kUsage : kFault;
}

int RunBuild(BuildArgs& a) {
  Progress bar;
  if (a.count) {
    a.synthetic.count = a.count;
    a.synthetic.progress = [&](uint64_t done, uint64_t before, const std::string& what) { bar.Show(done, a.count, before, what); };
    auto made = corpus::BuildSynthetic(a.out, a.synthetic);
    bar.End();
    if (!made.ok()) return Failed(made.error());
    double seconds = (*made)["seconds"];
    if (a.json != "-")
      fmt::print("synthetic: {} records of {} compositions in {}, {:.0f} a minute; {} refused, {} failed, {} duplicates, {} near duplicates, {} tasks of the benchmark removed\n", (*made)["records"].get<uint64_t>(),
                 (*made)["tried"].get<uint64_t>(), TimeText(seconds), seconds > 0 ? 60 * (*made)["records"].get<double>() / seconds : 0.0, (*made)["refused"].get<uint64_t>(), (*made)["failed"].get<uint64_t>(),
                 (*made)["duplicates_removed"].get<uint64_t>(), (*made)["near_duplicates_removed"].get<uint64_t>(), (*made)["benchmark_removed"].get<uint64_t>());
  }
  auto card = corpus::WriteCard(a.out);
  if (!card.ok()) return Failed(card.error());
  if (a.json != "-")
    fmt::print("{}: {} records, {} verified, {} distinct graphs, {} duplicates removed, {} in the benchmark\n", a.out, (*card)["records"].get<uint64_t>(), (*card)["verified"].get<uint64_t>(),
               (*card)["distinct_graphs"].get<uint64_t>(), (*card)["duplicates_removed"].get<uint64_t>(), (*card)["benchmark_overlap"].get<uint64_t>());
  return a.json.empty() ? kOk : WriteJson(*card, a.json);
}
}  // namespace

void AddCorpusBuild(CLI::App* corpus, int& exit_code) {
  auto a = std::make_shared<BuildArgs>();
  CLI::App* c = corpus->add_subcommand("build", "Records verified on the simulated chip, with a data card; stopped builds go on where they were");
  c->add_option("--synthetic", a->count, "Records of random compositions of operators, planned and lowered by rules, with reasoning from the compiler's decisions");
  c->add_option("--seed", a->synthetic.seed, "The same seed gives the same records")->capture_default_str();
  c->add_option("--out", a->out, "Folder of the corpus")->required();
  c->add_option("--alike", a->synthetic.alike, "References with this much in common (MinHash) are near duplicates, of which one is kept")->capture_default_str()->check(CLI::Range(0.3, 1.0));
  c->add_option("--chip", a->synthetic.chip, "SoC to simulate")->capture_default_str();
  c->add_option("--together", a->synthetic.together, "Compositions in one build")->capture_default_str()->check(CLI::Range(1, 64));
  c->add_option("-j,--jobs", a->synthetic.workers, "Processors to use; default: all");
  c->add_option("--json", a->json, "Write the data card to this file as well (- for standard output)");
  c->footer("Examples: akgen corpus build --synthetic 20000 --seed 1 --out corpus\n"
            "          akgen corpus build --out corpus      (the card alone, anew)\n"
            "Exit code: 0, 2 wrong use or a folder with another corpus, 3 our fault.");
  c->callback([a, &exit_code] { exit_code = RunBuild(*a); });
}

}  // namespace akgen::cli
