// `akgen bench show`, `diff` and `export`: they read stores, also while a run writes them.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/files.h"
#include "bench/compare.h"
#include "bench/export.h"
#include "bench/metrics.h"
#include "cli/bench.h"
#include "cli/output.h"

namespace akgen::cli {
namespace {
struct Opened {
  store::Store store;
  store::RunRow run;
};

base::Result<Opened> Open(const std::string& path) {
  auto s = store::Store::Open(path, store::Access::kRead);
  if (!s.ok()) return s.error();
  auto runs = s->Runs();
  if (!runs.ok()) return runs.error();
  if (runs->empty())
    return base::Error{"AK0503", "the file holds no run yet", path,
                       "start one with `akgen bench run --out`"};
  return Opened{std::move(*s), runs->at(0)};
}

void PrintRates(const char* name, const std::map<int, bench::Interval>& rates) {
  for (const auto& [k, i] : rates)
    fmt::print("{:<16} {:6.2f} %   95 % interval {:.2f} to {:.2f}\n", fmt::format("{}@{}", name, k),
               100 * i.value, 100 * i.low, 100 * i.high);
}

void PrintMetrics(const bench::Metrics& m) {
  fmt::print("{} units, {} sample{} each\n", m.units.size(), m.n, m.n == 1 ? "" : "s");
  PrintRates("pass", m.pass);
  PrintRates("pass public", m.pass_public);
  PrintRates("pass hidden", m.pass_hidden);
  PrintRates("compile", m.compile);
  for (const auto& [level, rate] : m.level_rate)
    fmt::print("{:<16} {:6.2f} %\n", fmt::format("level {}", level), 100 * rate);
  fmt::print("{:<16} {:6.2f} of 100, levels weighted 0.2, 0.3, 0.5 and not renormalised\n",
             "weighted score", 100 * m.weighted);
  for (const bench::FastPShares& s : bench::FastPSharesOf(m)) {
    std::string said = bench::kNotModelled;
    if (m.modelled_time)  // with how far the eager estimate may be off
      said = fmt::format("{:6.2f} %  [{:.2f}, {:.2f}], beyond the ranges {:.2f} %", 100 * s.said,
                         100 * s.low, 100 * s.high, 100 * s.beyond);
    fmt::print("{:<16} {}\n", fmt::format("fast_{}", s.p), said);
  }
  fmt::print("{:<16} {}\n", "HAP",
             m.modelled_time ? fmt::format("{:6.3f}", m.hap) : bench::kNotModelled);
  fmt::print("of {} (units x samples):", m.units.size() * size_t(m.n));
  for (const auto& [name, n] : m.taxonomy) fmt::print("  {} {}", name, n);
  fmt::print("\n");
}

void PrintUnits(const bench::Metrics& m, int n) {
  fmt::print("{:<8}{:<16}{:<42}{:>6}{:>8}{:>8}{:>8}\n", "level", "category", "task", "built",
             "public", "hidden", "right");
  for (const auto& u : m.units)
    fmt::print("{:<8}{:<16}{:<42}{:>6}{:>8}{:>8}{:>8}\n", u.level, u.category, u.name,
               fmt::format("{}/{}", u.built, n), u.public_right,
               u.hidden ? std::to_string(u.hidden_right) : "-", u.right);
}

// Where the time went, over everything that was not taken from the cache.
void PrintTimes(const store::Store& store, const store::RunRow& run) {
  auto verdicts = store.Verdicts(run.id, false);
  if (!verdicts.ok()) return;
  double build = 0, ran = 0, reference = 0, check = 0, wall = 0;
  int n = 0;
  for (const auto& v : *verdicts) {
    if (v.cached) continue;
    ++n, build += v.build_ms, ran += v.run_ms, reference += v.reference_ms, check += v.check_ms,
        wall += v.wall_ms;
  }
  if (wall <= 0) return;
  fmt::print(
      "{} verdicts judged, {} from the cache; of {:.1f} s of judging: build {:.0f} %, run {:.0f} "
      "%, reference {:.0f} "
      "%, check {:.0f} %, rest {:.0f} %\n",
      n, int(verdicts->size()) - n, wall / 1000, 100 * build / wall, 100 * ran / wall,
      100 * reference / wall, 100 * check / wall,
      100 * (wall - build - ran - reference - check) / wall);
}

struct ShowArgs {
  std::string path, json;
  std::vector<int> ks;
  bool tasks = false, failed = false;
};

int RunShow(const ShowArgs& a) {
  auto o = Open(a.path);
  if (!o.ok()) return StoreFailed(o.error());
  auto m = a.ks.empty() ? bench::Measure(o->store, o->run) : bench::Measure(o->store, o->run, a.ks);
  if (!m.ok()) return StoreFailed(m.error());
  if (!a.ks.empty() && std::ranges::max(a.ks) > m->n) {
    PrintError({"AK0512", fmt::format("the run has {} samples a task, -k asks for more", m->n),
                a.path, fmt::format("ask for at most -k {}", m->n)});
    return kUsage;
  }
  if (a.json != "-") {
    if (a.tasks) PrintUnits(*m, m->n);
    if (a.failed) {
      auto verdicts = o->store.Verdicts(o->run.id, false);
      if (verdicts.ok())
        for (const auto& v : *verdicts)
          if (v.verdict != "pass")
            fmt::print("{} sample {} {}: {}{}\n", v.task, v.sample, v.part, v.verdict,
                       v.reason.empty() ? "" : ": " + v.reason);
    }
    PrintMetrics(*m);
    if (!record::IsSealed(bench::ConfigFromJson(o->run.config).backend))
      fmt::print("unsealed: a run of native execution; no verdict of it counts (docs/trust.md)\n");
    PrintTimes(o->store, o->run);
  }
  if (a.json.empty()) return kOk;
  base::Json j = bench::ToJson(*m);
  j["run"] = o->run.id;
  j["config"] = o->run.config;
  return WriteJson(j, a.json);
}

base::Json CaseJson(const bench::ComparedCase& at, base::Json more) {
  more.update({{"unit", at.unit}, {"sample", at.sample}, {"part", at.part}, {"case", at.id}});
  return more;
}

int RunDiff(const std::string& first, const std::string& second, const std::string& json) {
  auto a = Open(first), b = Open(second);
  if (!a.ok() || !b.ok()) return StoreFailed(a.ok() ? b.error() : a.error());
  auto c = bench::Compare(a->store, a->run, b->store, b->run);
  if (!c.ok()) return StoreFailed(c.error());
  base::Json flips = base::Json::array();
  for (const auto& f : c->flips) {
    if (json != "-") fmt::print("{} sample {}: {} -> {}\n", f.unit, f.sample, f.before, f.after);
    flips.push_back(
        {{"unit", f.unit}, {"sample", f.sample}, {"before", f.before}, {"after", f.after}});
  }
  const auto place = [](const bench::ComparedCase& at) {
    return fmt::format("{} sample {} {} case {}", at.unit, at.sample, at.part, at.id);
  };
  base::Json findings = base::Json::array(), times = base::Json::array();
  for (const auto& f : c->findings) {
    if (json != "-") fmt::print("{}: {}: {} -> {}\n", place(f.at), f.finding, f.before, f.after);
    findings.push_back(
        CaseJson(f.at, {{"finding", f.finding}, {"before", f.before}, {"after", f.after}}));
  }
  for (const auto& t : c->times) {
    if (json != "-") fmt::print("{}: modelled {} -> {} us\n", place(t.at), t.before_us, t.after_us);
    times.push_back(CaseJson(t.at, {{"before_us", t.before_us}, {"after_us", t.after_us}}));
  }
  if (json != "-") {
    fmt::print(
        "right in both {}, only in the first {}, only in the second {}, in neither {}; McNemar p = "
        "{:.4f}\n",
        c->both, c->only_first, c->only_second, c->neither, c->p_value);
    fmt::print("{} verdicts, {} findings and {} modelled times differ\n", c->flips.size(),
               c->findings.size(), c->times.size());
    if (!c->different_config.empty()) fmt::print("the runs differ in: {}\n", c->different_config);
    for (const std::string& what : c->mixture) fmt::print("mixed: the records are of {}\n", what);
  }
  if (!json.empty())
    if (int rc = WriteJson({{"both", c->both},
                            {"only_first", c->only_first},
                            {"only_second", c->only_second},
                            {"neither", c->neither},
                            {"p_value", c->p_value},
                            {"flips", flips},
                            {"findings", findings},
                            {"times", times},
                            {"different_config", c->different_config},
                            {"mixture", c->mixture}},
                           json))
      return rc;
  return c->Same() ? kOk : kNotPassed;
}

int RunExport(const std::string& path, const std::string& format, const std::string& out) {
  auto o = Open(path);
  if (!o.ok()) return StoreFailed(o.error());
  auto text = bench::Export(o->store, o->run, format);
  if (!text.ok()) {
    PrintError(text.error());
    return kUsage;
  }
  if (out == "-") {
    fmt::print("{}", *text);
    return kOk;
  }
  auto s = base::WriteFileAtomic(out, *text);
  if (s.ok()) return kOk;
  PrintError(s.error());
  return kFault;
}
}  // namespace

void AddBenchShow(CLI::App& bench, int& exit_code) {
  auto a = std::make_shared<ShowArgs>();
  CLI::App* show =
      bench.add_subcommand("show", "Metrics of a run: pass@k, compile@k, levels, failures, times");
  show->add_option("run", a->path, "The store")->required();
  show->add_option("-k", a->ks,
                   "The k of pass@k, comma-separated; default 1, 5, 10. The number of samples is "
                   "always included")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  show->add_flag("--tasks", a->tasks, "One line per task");
  show->add_flag("--failed", a->failed, "One line per verdict that is not pass");
  show->add_option("--json", a->json, "Write the numbers to this file (- for standard output)");
  show->footer(
      "Example: akgen bench show run.db --tasks -k 1,4\nDenominators are always all tasks of the "
      "run.");
  show->callback([a, &exit_code] { exit_code = RunShow(*a); });

  auto paths = std::make_shared<std::array<std::string, 3>>();
  CLI::App* diff =
      bench.add_subcommand("diff", "Compare the verdicts, findings and modelled times of two runs");
  diff->add_option("first", (*paths)[0], "A store")->required();
  diff->add_option("second", (*paths)[1], "Another")->required();
  diff->add_option("--json", (*paths)[2],
                   "Write the comparison to this file (- for standard output)");
  diff->footer(
      "Example: akgen bench diff yesterday.db today.db\nExit code: 0 no verdict, finding or "
      "modelled time differs, 1 some do.");
  diff->callback(
      [paths, &exit_code] { exit_code = RunDiff((*paths)[0], (*paths)[1], (*paths)[2]); });

  auto e = std::make_shared<std::array<std::string, 3>>(std::array<std::string, 3>{"", "", "-"});
  CLI::App* exporter = bench.add_subcommand("export", "Export a run in the format of another tool");
  exporter->add_option("run", (*e)[0], "The store")->required();
  exporter->add_option("--format", (*e)[1], "upstream, kernelbench, multikernelbench, junit or csv")
      ->required();
  exporter->add_option("--out", (*e)[2], "File to write; - for standard output")
      ->capture_default_str();
  exporter->footer("Example: akgen bench export run.db --format junit --out junit.xml");
  exporter->callback([e, &exit_code] { exit_code = RunExport((*e)[0], (*e)[1], (*e)[2]); });
}

}  // namespace akgen::cli
