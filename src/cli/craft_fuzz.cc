// akgen craft fuzz: random programs, from text to compared bits.
#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/files.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/craft_run.h"
#include "cli/judging_options.h"
#include "cli/old_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "craft/prove/replay.h"
#include "judge/validate/fuzz.h"

namespace akgen::cli {
namespace {
struct FuzzArgs {
  judge::FuzzOptions o;
  std::string json;
  JudgingOptions judging;
  bool keep = false;
  uint64_t print = 0;
};

// What is proven of a program, on its inputs and on smaller ones.
base::Result<std::string> Contradiction(const craft::RandomProgram& p, const craft::Target& target,
                                        const std::string& chip) {
  constexpr unsigned kSteps = 500'000;
  constexpr int kSeconds = 120;
  constexpr size_t kMaxCases = 12;
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("akgen-fuzz-{}.py", getpid())).string();
  if (auto st = base::WriteFileAtomic(file, p.source); !st.ok()) return st.error();
  auto report = AskProver(file, chip, kSteps, kSeconds);
  std::filesystem::remove(file);
  if (!report.ok()) return report.error();
  const craft::Compiled compiled = craft::Compile(p.source, target);
  std::vector<std::string> cases = {p.inputs};
  for (const craft::RandomProgram& small : craft::Smaller(p))
    if (small.source == p.source && cases.size() < kMaxCases) cases.push_back(small.inputs);
  for (const std::string& text : cases)
    for (int64_t cores : {target.cores, int64_t{3}})
      if (auto why = craft::prove::Contradicts(compiled, *report, text, cores))
        return fmt::format("proven, and on {} with {} cores: {}", text, cores, *why);
  return std::string();
}

int Fuzz(FuzzArgs& a) {
  if (a.print) {
    craft::RandomProgram p = a.o.products ? craft::GenerateProduct(a.o.seed, a.print - 1)
                                          : craft::Generate(a.o.seed, a.print - 1);
    fmt::print("# try: {}\n{}", p.inputs, p.source);
    return kOk;
  }
  auto validator = judge::Validator::Start(a.judging.chip, a.judging.Backend());
  if (!validator.ok()) {
    PrintError(validator.error());
    return kFault;
  }
  if (a.json != "-") a.o.state = a.json;
  if (a.o.products)
    a.o.contradiction = [&](const craft::RandomProgram& p) {
      return Contradiction(p, validator->target(), a.judging.chip);
    };
  Progress bar;
  a.o.progress = [&](uint64_t done, uint64_t before, const std::string& what) {
    bar.Show(done, a.o.count, before, what);
  };
  auto result = judge::Fuzz(*validator, a.o);
  bar.End();
  if (!result.ok()) {
    PrintError(result.error());
    return result.error().code == "AK0401" ? kUsage : kFault;
  }
  const judge::FuzzResult& r = *result;
  if (a.json == "-") {
    if (int rc = WriteJson(judge::ToJson(r), "-")) return rc;
  } else {
    fmt::print(
        "{} programs: {} agree, {} mismatch, {} finding, {} do not build, {} crash, {} wrong "
        "proof; {} refused by "
        "the checker, {} by "
        "the interpreter; "
        "{} elements, {} bit for bit, {} undecided; {:.1f} s\n",
        r.done, r.agree, r.mismatch, r.finding, r.build_failed, r.crashed, r.wrong_proof,
        r.refused_by_checker, r.refused_by_interpreter, r.elements, r.exact, r.undecided,
        r.seconds);
    for (const judge::FuzzFailure& f : r.failures)
      fmt::print("\nprogram {}: {}: {}\n# try: {}\n{}", f.index, f.outcome, f.ReasonOfSmallest(),
                 f.Smallest().inputs, f.Smallest().source);
  }
  return r.failures.empty() ? kOk : kNotPassed;
}
}  // namespace

void AddCraftFuzz(CLI::App* craft, int& exit_code) {
  auto args = std::make_shared<FuzzArgs>();
  CLI::App* c = craft->add_subcommand(
      "fuzz",
      "Random programs: each is checked, interpreted, lowered, built, simulated and "
      "compared; failing ones are minimised");
  c->add_option("--count", args->o.count, "Programs")->capture_default_str();
  c->add_option("--first", args->o.first,
                "Number of the first program, to share the work among processes")
      ->capture_default_str();
  c->add_option("--seed", args->o.seed, "A program is a function of seed and number")
      ->capture_default_str();
  c->add_flag("--products", args->o.products,
              "Programs with products; what is proven of each is tried on more shapes, too");
  CLI::Option* per_build = c->add_option("--per-build", args->o.per_build, "Programs per build")
                               ->capture_default_str()
                               ->check(CLI::Range(1, 100));
  AddOldName(*c, "--together", per_build);
  c->add_flag("!--no-shrink", args->o.shrink, "Report failures without minimising them");
  args->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kBackend);
  c->add_option("--json", args->json,
                "Write results to this file after each build; a later run resumes from it (- for "
                "standard output)");
  c->add_option("--print", args->print,
                "Print program N (counted from 1) and its inputs, and do nothing else");
  c->footer(
      "Example: akgen craft fuzz --count 100000 --seed 1 --json fuzz.json\n"
      "Exit code: 0 all agree, 1 some do not, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = Fuzz(*args); });
}

}  // namespace akgen::cli
