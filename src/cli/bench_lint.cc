// `akgen bench lint`: are the tasks themselves sound?
#include <fmt/core.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "bench/candidates.h"
#include "bench/lint.h"
#include "cli/bench.h"
#include "cli/output.h"
#include "cli/progress.h"

namespace akgen::cli {
namespace {
struct LintArgs {
  std::vector<std::string> tasks{"all"};
  std::string json;
  bench::LintOptions options;
  int jobs = 1;
};

std::vector<bench::LintResult> LintAll(const std::vector<task::TaskSpec>& chosen,
                                       const std::vector<task::TaskSpec>& all, const LintArgs& a) {
  std::vector<bench::LintResult> results(chosen.size());
  std::atomic<size_t> next{0};
  size_t done = 0;
  std::mutex mutex;
  Progress bar;
  std::vector<std::thread> pool;
  for (int w = 0; w < a.jobs; ++w)
    pool.emplace_back([&] {
      task::ReferenceClient reference(
          {.timeout_ms = 1800000});  // 67 million elements on a busy machine
      for (size_t i; (i = next++) < chosen.size();) {
        results[i] = bench::LintTask(chosen[i], all, a.options, reference);
        std::lock_guard lock(mutex);
        bar.Show(++done, chosen.size(), 0, chosen[i].name);
      }
    });
  for (std::thread& t : pool) t.join();
  bar.End();
  return results;
}

int RunLint(const LintArgs& a) {
  auto wanted = bench::SelectTasks(a.tasks);
  if (!wanted.ok()) {
    PrintError(wanted.error());
    return kUsage;
  }
  std::vector<task::TaskSpec> chosen, all;
  for (const auto& info : *wanted) {
    auto t = task::LoadTaskFolder(info.folder);
    if (!t.ok()) {
      PrintError(t.error());
      return kUsage;
    }
    all.push_back(*t);
    chosen.push_back(std::move(*t));
  }
  // Answers to the other tasks are tried too; one that cannot be loaded is another task's trouble.
  for (const auto& info : task::ListTasks()) {
    bool mine = std::any_of(wanted->begin(), wanted->end(),
                            [&](const auto& w) { return w.folder == info.folder; });
    if (auto t =
            mine ? base::Result<task::TaskSpec>(base::Error{}) : task::LoadTaskFolder(info.folder);
        t.ok())
      all.push_back(std::move(*t));
  }
  std::vector<bench::LintResult> results = LintAll(chosen, all, a);
  const bench::LintTotals totals = bench::TotalsOf(results);
  if (a.json != "-") {
    for (const auto& r : results) {
      for (const auto& answer : r.taken) fmt::print("{}: takes the answer '{}'\n", r.task, answer);
      for (const auto& v : r.variants.taken)
        fmt::print(
            "{}: takes the variant '{}' of its reference: {}\n"
            "    draw inputs that tell it, or name it under [lint] right, with the reason\n",
            r.task, v.name, bench::Explained(v));
      if (!r.error.empty()) fmt::print("{}: {}\n", r.task, r.error);
      if (r.upstream_takes_zero)
        fmt::print("{}: zeros would pass upstream, by its rule and in its ranges\n", r.task);
    }
    fmt::print(
        "{} of {} tasks refuse every wrong answer ({} answers, {} cases; {} cases alone take "
        "one)\n",
        totals.passed, results.size(), totals.answers, totals.cases, totals.weak_cases);
    const auto& v = totals.variants;
    if (v.tried)
      fmt::print(
          "{} narrow variants of their references: {} refused, {} no worse than the reference, {} "
          "right, {} taken\n",
          v.tried, v.refused, v.same, v.by_name, v.taken.size());
    if (a.options.all_references)
      fmt::print("{} references run, {} cases too large for the stated memory\n", totals.references,
                 totals.too_large);
  }
  if (!a.json.empty())
    if (int rc = WriteJson(bench::ToJson(results), a.json)) return rc;
  return totals.passed == results.size() ? kOk : kNotPassed;
}
}  // namespace

void AddBenchLint(CLI::App& bench, int& exit_code) {
  auto a = std::make_shared<LintArgs>();
  CLI::App* c = bench.add_subcommand(
      "lint", "Try the tasks with wrong answers; a task that accepts one is not sound");
  c->add_option("--tasks", a->tasks,
                "all, level1, …, names, or folders of your own tasks; comma-separated")
      ->delimiter(',')
      ->capture_default_str();
  c->add_option("--precision", a->options.precision, "strict, or upstream for the tasks' own rules")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str();
  c->add_option("--cases", a->options.max_cases, "Cases tried per task")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_flag("--references", a->options.all_references,
              "Also run every reference on every case that fits the memory");
  c->add_flag("!--no-variants", a->options.variants,
              "Do not try narrow variants of the references");
  c->add_flag("!--no-range", a->options.range,
              "Try the variants on the scored cases alone, without the range group");
  c->add_option("-j,--jobs", a->jobs, "Tasks tried at a time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("--json", a->json,
                "Write {\"tasks\", \"passed\", …} to this file (- for standard output)");
  c->footer(
      "Example: akgen bench lint --json lint.json\nExit code: 0 all tasks are sound, 1 some are "
      "not.");
  c->callback([a, &exit_code] { exit_code = RunLint(*a); });
}

}  // namespace akgen::cli
