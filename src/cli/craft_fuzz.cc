// akgen craft fuzz: random programs, from text to compared bits.
#include <fmt/core.h>

#include <memory>

#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/craft_run.h"
#include "cli/judging_options.h"
#include "cli/old_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "judge/validate_fuzz.h"

namespace akgen::cli {
namespace {
struct FuzzArgs {
  judge::FuzzOptions o;
  std::string json;
  JudgingOptions judging;
  bool keep = false;
  uint64_t print = 0;
};

int Fuzz(FuzzArgs& a) {
  if (a.print) {
    craft::RandomProgram p = craft::Generate(a.o.seed, a.print - 1);
    fmt::print("# try: {}\n{}", p.inputs, p.source);
    return kOk;
  }
  auto validator = judge::Validator::Start(a.judging.chip, a.judging.Backend());
  if (!validator.ok()) {
    PrintError(validator.error());
    return kFault;
  }
  if (a.json != "-") a.o.state = a.json;
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
        "{} programs: {} agree, {} mismatch, {} finding, {} do not build, {} crash; {} refused by "
        "the checker, {} by "
        "the interpreter; "
        "{} elements, {} bit for bit, {} undecided; {:.1f} s\n",
        r.done, r.agree, r.mismatch, r.finding, r.build_failed, r.crashed, r.refused_by_checker,
        r.refused_by_interpreter, r.elements, r.exact, r.undecided, r.seconds);
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
