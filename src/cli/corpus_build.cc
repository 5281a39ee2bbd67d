// `akgen corpus build`: a corpus from nothing but a seed.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "base/terminal.h"
#include "cli/corpus.h"
#include "cli/judging_options.h"
#include "cli/old_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "corpus/export/compare.h"
#include "corpus/export/formats.h"
#include "corpus/export/shipping.h"
#include "corpus/mistakes/errors.h"
#include "corpus/records/card.h"
#include "corpus/records/synthetic.h"

namespace akgen::cli {
namespace {
struct BuildArgs {
  JudgingOptions judging;  // chip and backend; what is learned from asks for evidence
  std::string out, json;
  corpus::SyntheticOptions synthetic;
  corpus::ErrorOptions errors;
  uint64_t count = 0, mistakes = 0;
  std::shared_ptr<TeachArgs> teach = std::make_shared<TeachArgs>();
};

int Failed(const base::Error& e) {
  PrintError(e);
  return e.code == "AK0801" || e.code == "AK1001" ? kUsage : kFault;
}

int RunBuild(BuildArgs& a) {
  a.synthetic.chip = a.judging.chip;
  Progress bar;
  if (a.count) {
    a.synthetic.count = a.count;
    a.synthetic.progress = [&](uint64_t done, uint64_t before, const std::string& what) {
      bar.Show(done, a.count, before, what);
    };
    auto made = corpus::BuildSynthetic(a.out, a.synthetic);
    bar.End();
    if (!made.ok()) return Failed(made.error());
    if (a.json != "-")
      fmt::print(
          "synthetic: {} records of {} compositions in {}, {:.0f} a minute; {} refused, {} failed, "
          "{} duplicates, {} "
          "near duplicates, {} tasks of the benchmark removed\n",
          made->records, made->tried, base::TimeText(made->seconds),
          made->seconds > 0 ? 60 * double(made->records) / made->seconds : 0.0, made->refused,
          made->failed, made->duplicates_removed, made->near_duplicates_removed,
          made->benchmark_removed);
  }
  if (a.mistakes) {
    a.errors.count = a.mistakes;
    a.errors.seed = a.synthetic.seed;
    a.errors.chip = a.synthetic.chip;
    Progress bar_of_errors;
    a.errors.progress = [&](uint64_t done, uint64_t before, const std::string& what) {
      bar_of_errors.Show(done, a.mistakes, before, what);
    };
    auto made = corpus::BuildErrors(a.out, a.errors);
    bar_of_errors.End();
    if (!made.ok()) return Failed(made.error());
    if (a.json != "-")
      fmt::print(
          "mistakes: {} records of {} mutants of {} kernels and {} slips in programs in {}, {} "
          "diagnostics; {} "
          "harmless, {} not run, {} beyond what one diagnostic may have\n",
          made->records, made->mutants, made->kernels + made->by_hand, made->programs,
          base::TimeText(made->seconds), made->diagnostics, made->harmless, made->not_run,
          made->more_than_wanted);
  }
  a.teach->options.seed = a.synthetic.seed;
  a.teach->options.chip = a.synthetic.chip;
  if (int rc = RunTeach(*a.teach, a.out, a.json == "-")) return rc;
  auto card = corpus::WriteCard(a.out);
  if (!card.ok()) return Failed(card.error());
  if (a.json != "-")
    fmt::print(
        "{}: {} records, {} verified, {} distinct graphs, {} duplicates removed, {} in the "
        "benchmark\n",
        a.out, card->records, card->verified, card->distinct_graphs, card->duplicates_removed,
        card->benchmark_overlap);
  return a.json.empty() ? kOk : WriteJson(corpus::ToJson(*card), a.json);
}

struct ExportArgs {
  std::string corpus, out, json;
  corpus::ShippingOptions options;
};

int RunExport(ExportArgs& a) {
  Progress bar;
  a.options.progress = [&](uint64_t done) { bar.Show(done, 0, 0, "records"); };
  auto done = corpus::Ship(a.corpus, a.out, a.options);
  bar.End();
  if (!done.ok()) {
    PrintError(done.error());
    return done.error().code == "AK0002"   ? kFault
           : done.error().code == "AK0804" ? kNotPassed
                                           : kUsage;
  }
  if (a.json != "-")
    fmt::print("{}: {} samples, {} preferences, {} general ones ({} skipped)\n", a.out,
               done->samples, done->preferences, done->general, done->general_skipped);
  return a.json.empty() ? kOk : WriteJson(corpus::ToJson(*done), a.json);
}

struct CompareArgs {
  std::vector<std::string> sources;
  std::string out, json;
};

int RunCompare(const CompareArgs& a) {
  auto columns = corpus::ColumnsFrom(a.sources);
  if (!columns.ok()) {
    PrintError(columns.error());
    return kUsage;
  }
  const record::Comparison comparison = corpus::CompareGenerators(*columns);
  const std::string text = corpus::CompareMarkdown(comparison);
  if (!a.out.empty())
    if (auto s = base::WriteFileAtomic(a.out, text); !s.ok()) {
      PrintError(s.error());
      return kFault;
    }
  if (a.json != "-") fmt::print("{}", text);
  return a.json.empty() ? kOk : WriteJson(record::ToJson(comparison), a.json);
}

void AddExport(CLI::App* corpus, int& exit_code) {
  auto a = std::make_shared<ExportArgs>();
  CLI::App* c = corpus->add_subcommand("export", "A built corpus in the formats of trainers");
  c->add_option("corpus", a->corpus, "Folder of `akgen corpus build`")
      ->required()
      ->check(CLI::ExistingDirectory);
  c->add_option("--out", a->out, "Folder for the exports")->required();
  c->add_option("--format", a->options.formats, "Formats; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(corpus::FormatNames()));
  c->add_option("--answers", a->options.answers,
                "Of composed records: craft (the program), direct (Ascend C), operations (the "
                "program, with the prompt of "
                "small models)")
      ->delimiter(',')
      ->check(CLI::IsMember({"craft", "direct", "operations"}))
      ->capture_default_str();
  c->add_option("--general", a->options.general,
                "Chat data set to mix in: one {\"messages\"} or {\"conversations\"} per line");
  c->add_option("--general-share", a->options.general_share, "Its share of all samples")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 0.95));
  c->add_flag("--private", a->options.keep_others,
              "Include records of third-party kernels: an export that is not distributed");
  c->add_option("--json", a->json, "Write the counts to this file (- for standard output)");
  c->footer(
      "Example: akgen corpus export corpus --out data --format trl,llama_factory --general "
      "chat.jsonl --general-share "
      "0.2\n"
      "Exit code: 0, 1 a record of a third-party kernel, 2 usage error or no corpus, 3 the folder "
      "cannot be written.");
  c->callback([a, &exit_code] { exit_code = RunExport(*a); });
}

void AddCompare(CLI::App* corpus, int& exit_code) {
  auto a = std::make_shared<CompareArgs>();
  CLI::App* c = corpus->add_subcommand(
      "compare", "Compare generators: how often each builds and passes, at first and with repairs");
  c->add_option("source", a->sources,
                "Journals of `akgen generate` (say one with --generator direct, one with craft) "
                "and stores of `akgen bench run`")
      ->required();
  c->add_option("--out", a->out, "Write the table to this Markdown file");
  c->add_option("--json", a->json, "Write the numbers to this file (- for standard output)");
  c->footer(
      "Example: akgen corpus compare direct/journal.jsonl craft/journal.jsonl --out "
      "compare.md\nExit code: 0, 2 a "
      "source cannot be read, 3 the file cannot be written.");
  c->callback([a, &exit_code] { exit_code = RunCompare(*a); });
}
}  // namespace

void AddCorpusBuild(CLI::App* corpus, int& exit_code) {
  auto a = std::make_shared<BuildArgs>();
  CLI::App* c = corpus->add_subcommand(
      "build",
      "Records verified on the simulated chip, with a data card; an interrupted build resumes");
  c->add_option("--synthetic", a->count,
                "Records of random compositions of operators, planned and lowered by rules, with "
                "reasoning from the "
                "compiler's decisions");
  c->add_option("--errors", a->mistakes,
                "Records of mistakes: faults planted in the composed kernels and in handwritten "
                "kernels, errors in "
                "programs; with findings, diagnosis and correction");
  a->errors.kernels = {(base::HomeDir() / "tests/cases").string()};
  c->add_option("--kernels", a->errors.kernels,
                "For --errors: folders with handwritten kernels, each with a `// launch:` line")
      ->capture_default_str()
      ->check(CLI::ExistingDirectory);
  c->add_option("--seed", a->synthetic.seed, "The same seed gives the same records")
      ->capture_default_str();
  c->add_option("--out", a->out, "Folder of the corpus")->required();
  CLI::Option* threshold = c->add_option("--dedup-threshold", a->synthetic.dedup_threshold,
                                         "References at least this similar (MinHash estimate of "
                                         "the Jaccard index) are near duplicates, of "
                                         "which one is kept")
                               ->capture_default_str()
                               ->check(CLI::Range(0.3, 1.0));
  AddOldName(*c, "--alike", threshold);
  a->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kSealedBackend);
  CLI::Option* per_build =
      c->add_option("--per-build", a->synthetic.per_build, "Compositions per build")
          ->capture_default_str()
          ->check(CLI::Range(1, 64));
  AddOldName(*c, "--together", per_build);
  c->add_option("-j,--jobs", a->synthetic.workers, "Threads; default: one per processor");
  c->add_option("--json", a->json,
                "Write the data card to this file as well (- for standard output)");
  AddTeachOptions(*c, a->teach);
  c->footer(
      "Examples: akgen corpus build --synthetic 20000 --errors 3000 --seed 1 --out corpus\n"
      "          akgen corpus build --docs manuals --code kernels --model http://127.0.0.1:8000/v1 "
      "--model-name "
      "qwen3-32b --out corpus\n"
      "          akgen corpus build --out corpus      (the data card alone)\n"
      "Exit code: 0, 2 usage error or a folder with another corpus, 3 internal error, or the "
      "teacher has left "
      "questions without an answer.");
  c->callback([a, &exit_code] { exit_code = RunBuild(*a); });
  AddExport(corpus, exit_code);
  AddCompare(corpus, exit_code);
}

}  // namespace akgen::cli
