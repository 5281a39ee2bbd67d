// akgen craft prove: programs for all shapes.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/craft_run.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "craft/interpret/arguments.h"
#include "craft/prove/prove.h"
#include "judge/validate/validate.h"

namespace akgen::cli {
namespace {
using craft::prove::Status;

struct ProveArgs {
  std::vector<std::string> programs;
  std::string json, chip{chip::kDefaultChip};
  unsigned steps = 2'000'000;
  int seconds = 300;
};

}  // namespace

base::Result<craft::prove::Report> AskProver(const std::string& file, const std::string& chip,
                                             unsigned steps, int seconds) {
  const std::string prover = (base::ExecutableDir() / "akgen-prover").string();
  base::SpawnRequest request{{prover, file, chip, std::to_string(steps)}, {}};
  request.code = "AK0013",
  request.fix = "build akgen with Z3: apt-get install libz3-dev, then ./run.sh";
  auto done = base::RunProgram(request, seconds * 1000);
  if (!done.ok()) return done.error();
  if (done->timed_out || done->exit_code != 0)
    return base::Error{done->timed_out ? "AK0011" : "AK0010",
                       done->timed_out ? fmt::format("the prover was ended after {} s", seconds)
                                       : "the prover ended with: " + done->output,
                       file, done->timed_out ? "allow it more: --seconds" : "report this program"};
  return craft::prove::ReportFromJson(base::Parse(done->output));
}

namespace {
// A refutation that the chip does not know is none.
class Chip {
 public:
  explicit Chip(const std::string& name) : name_(name) {}
  base::Status Confirm(const craft::Compiled& c, std::vector<craft::prove::Answer>& answers) {
    for (craft::prove::Answer& a : answers) {
      if (a.status != Status::kRefuted) continue;
      if (!validator_) {
        auto started = judge::Validator::Start(name_);
        if (!started.ok()) return started.error();
        validator_.emplace(std::move(*started));
      }
      auto one = craft::ParseCase(c.programs, a.text, 1);
      if (!one.ok()) return one.error();
      judge::Validation v{c.lowered[one->column], std::move(one->args), a.text};
      v.refused = true;
      const judge::Validated ran = validator_->Run({v})[0];
      if (ran.outcome == judge::Validated::kAgree) {
        a.status = Status::kNotDecided;
        a.why += "; the chip runs this case without a finding";
      } else {
        chip_[&a] = fmt::format("{}: {}", judge::NameOf(ran.outcome), ran.reason);
      }
    }
    return {};
  }
  std::string Says(const craft::prove::Answer& a) const {
    auto it = chip_.find(&a);
    return it == chip_.end() ? "" : it->second;
  }

 private:
  std::string name_;
  std::optional<judge::Validator> validator_;
  std::map<const craft::prove::Answer*, std::string> chip_;
};

void Print(const std::string& file, const craft::prove::Report& r, const Chip& chip) {
  auto count = [&](Status s) {
    return std::ranges::count(r.answers, s, &craft::prove::Answer::status);
  };
  fmt::print("{}: {} of {} proven, {} refuted, {} not decided, {:.2f} s\n", file,
             count(Status::kProven), r.answers.size(), count(Status::kRefuted),
             count(Status::kNotDecided), r.seconds);
  for (const auto& a : r.answers) {
    if (a.status == Status::kProven) continue;
    fmt::print("{}:{}:{}: {}: {}\n", file, a.place.line, a.place.column,
               a.status == Status::kRefuted ? "refuted" : "not decided", a.what);
    if (a.status == Status::kRefuted)
      fmt::print("  case: {}\n  interpreter: {}\n  chip: {}\n", a.text, a.why, chip.Says(a));
    else
      fmt::print("  stopped by: {}\n", a.why);
  }
}

int ProveOne(const std::string& file, const ProveArgs& a, Chip& chip, Progress& bar,
             base::Json& results) {
  auto text = base::ReadFile(file);
  auto target = craft::LoadTarget(a.chip);
  if (!text.ok() || !target.ok()) {
    PrintError(text.ok() ? target.error() : text.error());
    return kUsage;
  }
  const craft::Compiled compiled = craft::Compile(*text, *target);
  if (!compiled.diagnostics.empty()) {
    fmt::print(stderr, "{}", compiled.diagnostics.Render(file, *text));
    return kNotPassed;
  }
  auto report = AskProver(file, a.chip, a.steps, a.seconds);
  if (report.ok())
    if (auto st = chip.Confirm(compiled, report->answers); !st.ok()) report = st.error();
  bar.End();
  if (!report.ok()) {
    PrintError(report.error());
    return kFault;
  }
  base::Json j = craft::prove::ToJson(*report);
  j["program"] = file;
  j["ok"] = report->AllProven();
  results.push_back(std::move(j));
  if (a.json != "-") Print(file, *report, chip);
  return report->AllProven() ? kOk : kNotPassed;
}

int RunProve(const ProveArgs& a) {
  Chip chip(a.chip);
  base::Json results = base::Json::array();
  int worst = kOk;
  for (size_t i = 0; i < a.programs.size(); ++i) {
    Progress bar;
    bar.Show(i, a.programs.size(), 0, "proving " + a.programs[i]);
    worst = std::max(worst, ProveOne(a.programs[i], a, chip, bar, results));
  }
  if (!a.json.empty())
    if (int rc = WriteJson({{"ok", worst == kOk}, {"chip", a.chip}, {"programs", results}}, a.json))
      return rc;
  return worst;
}
}  // namespace

void AddCraftProve(CLI::App* craft, int& exit_code) {
  auto args = std::make_shared<ProveArgs>();
  CLI::App* c = craft->add_subcommand("prove",
                                      "Prove for every shape, dtype and attribute that accesses "
                                      "lie inside, cores do not race, outputs are covered");
  c->add_option("program", args->programs, "Files with programs")->required();
  c->add_option("--json", args->json,
                "Write the obligations as JSON to this file (- for standard output)");
  c->add_option("--chip", args->chip, "SoC to lower for and to replay counterexamples on")
      ->capture_default_str();
  c->add_option("--steps", args->steps, "Steps of the solver for one question")
      ->capture_default_str();
  c->add_option("--seconds", args->seconds, "Time limit of one program")->capture_default_str();
  c->callback([args, &exit_code] { exit_code = RunProve(*args); });
  c->footer(
      "Example: akgen craft prove examples/craft/softmax.py\n"
      "Exit code: 0 all proven, 1 not, 2 usage error, 3 internal error.");
}

}  // namespace akgen::cli
