// `akgen bench ascendkernelbench`: candidates that bind kernels to PyTorch, against task files of
// KernelBench.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/regex.h"
#include "base/seed.h"
#include "cli/bench.h"
#include "cli/judging_options.h"
#include "cli/layers_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "judge/kernelbench/judge.h"
#include "judge/run/simulated_chip.h"

namespace akgen::cli {
namespace fs = std::filesystem;
namespace kb = judge::kernelbench;
namespace {
struct KernelBenchArgs {
  std::string candidates, tasks, json;
  kb::Options options;
  JudgingOptions judging;
  std::optional<uint64_t> seed;
  bool require_layers = false;
};

struct Unit {
  fs::path candidate, task;
  std::string name;
  int sample = 0;
};

// One candidate, or all of a run: …/levelL/TASK/sample_N.
std::vector<Unit> UnitsIn(const KernelBenchArgs& a) {
  std::error_code ec;
  const fs::path root = a.candidates;
  if (!fs::is_directory(root, ec) || fs::exists(root / "custom_op.asc", ec))
    return {{root, a.tasks, fs::path(a.tasks).stem().string()}};
  static const base::Regex place(R"((?:^|/)(level\d/[^/]+)/sample_(\d{1,6})$)");
  std::vector<Unit> units;
  for (const auto& entry : fs::recursive_directory_iterator(root, ec))
    if (const auto at =
            entry.is_directory(ec) ? place.Find(entry.path().generic_string()) : std::nullopt)
      units.push_back({entry.path(), fs::path(a.tasks) / ((*at)[1].text + ".py"), (*at)[1].text,
                       std::stoi((*at)[2].text)});
  std::sort(units.begin(), units.end(), [](const Unit& x, const Unit& y) {
    return std::pair(x.name, x.sample) < std::pair(y.name, y.sample);
  });
  return units;
}

std::string LineOf(const kb::Result& r) {
  std::string text(record::NameOf(r.verdict));
  if (!r.reason.empty()) text += " — " + r.reason + (r.trial.empty() ? "" : " (" + r.trial + ")");
  if (r.time)
    text += fmt::format(": modelled {:.2f} us, eager {:.2f} us, speed-up {:.2f}, SOL {:.2f}",
                        r.time->us, r.time->eager_us, r.time->Speedup(), r.time->Sol());
  if (r.verdict == record::Verdict::kPass && !r.time) text += ": not modelled, " + r.untimed;
  return text + (r.cap ? fmt::format("; shapes capped at {}", r.cap) : "");
}

void PrintScore(const kb::Score& score) {
  fmt::print("{} samples, {} correct", score.samples, score.correct);
  for (const auto& [p, share] : score.fast) fmt::print("; fast_{} {:.3f}", p, share);
  for (const auto& [k, share] : score.pass) fmt::print("; pass@{} {:.3f}", k, share);
  if (score.sol)
    fmt::print("; geometric mean {:.2f}, SOL {:.2f}", *score.geometric_mean, *score.sol);
  fmt::print("\n");
}

int RunKernelBench(KernelBenchArgs& a) {
  if (int rc = CheckLayers(a.require_layers)) return rc;
  const std::vector<Unit> units = UnitsIn(a);
  if (units.empty()) {
    PrintError(
        {"AK0510", "no candidates", a.candidates,
         "give a folder with custom_op.asc and model_new.py, or one with levelL/TASK/sample_N"});
    return kUsage;
  }
  auto chip = judge::SimulatedChip::Start();
  if (!chip.ok()) return PrintError(chip.error()), kFault;
  a.options.chip = a.judging.chip, a.options.checks = a.judging.Checks();
  a.options.timeout_ms = a.judging.timeout_s * 1000;
  a.options.secret = a.seed.value_or(base::DrawSeed());
  std::vector<kb::Sample> samples;
  base::Json records = base::Json::array();
  Progress bar;
  bool fault = false;
  for (const Unit& u : units) {
    if (units.size() > 1) bar.Show(samples.size(), units.size(), 0, u.name);
    auto result = kb::Judge(**chip, u.task, u.candidate, a.options);
    if (!result.ok()) {
      PrintError(result.error());
      if (units.size() == 1) return result.error().code == "AK0510" ? kUsage : kFault;
      fault = true;
      continue;
    }
    fault |= result->verdict == record::Verdict::kInfraError;
    base::Json json = kb::ToJson(*result);
    json["task"] = u.name, json["sample"] = u.sample;
    records.push_back(std::move(json));
    samples.push_back({u.name, u.sample, std::move(*result)});
  }
  if (units.size() > 1) bar.End();
  const kb::Score score = kb::ScoreOf(samples);
  if (a.json != "-") {
    for (const kb::Sample& s : samples) {
      const bool one = units.size() == 1;
      if (one)
        for (const auto& d : s.result.diagnostics) fmt::print(stderr, "{}\n", TextOf(d));
      if (one)
        for (const auto& f : s.result.findings) PrintFinding(f, SourcesOf(a.candidates));
      fmt::print("{}{}\n", one ? s.task + ": " : fmt::format("{} {}: ", s.task, s.sample),
                 LineOf(s.result));
    }
    if (units.size() > 1) PrintScore(score);
    WarnOfMissingLayers();
  }
  if (!a.json.empty())
    if (int rc = WriteJson({{"schema", record::kVerdictSchema},
                            {"seed", a.options.secret},
                            {"chip", a.options.chip},
                            {"samples", records},
                            {"score", kb::ToJson(score)}},
                           a.json))
      return rc;
  if (fault) return kFault;
  return units.size() > 1 || samples[0].result.verdict == record::Verdict::kPass ? kOk : kNotPassed;
}
}  // namespace

void AddBenchKernelBench(CLI::App& bench, int& exit_code) {
  auto a = std::make_shared<KernelBenchArgs>();
  CLI::App* c = bench.add_subcommand(
      "ascendkernelbench",
      "Judge kernels bound to PyTorch, custom_op.asc and model_new.py, against KernelBench tasks");
  c->add_option(
       "candidates", a->candidates,
       "Folder with both files, a model's answer with both, or a run: DIR/levelL/TASK/sample_N")
      ->required()
      ->check(CLI::ExistingPath);
  c->add_option("--tasks", a->tasks,
                "The task file, or the folder with level1, level2, …, whose files are run")
      ->required()
      ->check(CLI::ExistingPath);
  c->add_option(
       "--elements", a->options.elements,
       "Cap the task's shapes: at most so many elements in its largest tensor; 0: its own shapes")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  c->add_option("--seed", a->seed, "Seed of the trial that no candidate knows; default: drawn");
  a->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kChecks | JudgingOptions::kTimeout);
  AddLayersOption(*c, a->require_layers);
  c->add_option("--json", a->json,
                "Write verdicts and scores to this file (- for standard output)");
  c->footer(
      "Example: akgen bench ascendkernelbench answer --tasks KernelBench/level1/19_ReLU.py "
      "--elements 65536\n"
      "         akgen bench ascendkernelbench runs/mine --tasks KernelBench --elements 65536 "
      "--json scores.json\n"
      "Needs PyTorch in $AKGEN_PYTHON, else python3.\n"
      "Exit code: 0 pass (of several: all judged), 1 not passed, 2 usage error, 3 internal error.");
  c->callback([a, &exit_code] { exit_code = RunKernelBench(*a); });
}

}  // namespace akgen::cli
