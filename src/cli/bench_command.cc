// `akgen bench run` and `akgen bench merge`; the commands that read stores are in bench_show.cc.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "base/seed.h"
#include "bench/run.h"
#include "bench/slurm.h"
#include "chip/chip.h"
#include "cli/bench.h"
#include "cli/judging_options.h"
#include "cli/layers_option.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signal.h"
#include "device/npu.h"
#include "judge/session/provenance.h"

namespace akgen::cli {
namespace {
struct RunArgs {
  std::vector<std::string> tasks, modes;
  std::string candidates, host, out, shard = "0/1", json;
  bench::Config config;
  JudgingOptions judging;  // into the config
  std::optional<uint64_t> seed, hidden_seed;
  int jobs = 1;
  bool no_cache = false, require_layers = false;
  std::string executor = "local", slurm_options, generator;
  int workers = 2;
};

bool ParseShard(const std::string& text, bench::RunOptions& o) {
  int used = 0;
  return std::sscanf(text.c_str(), "%d/%d%n", &o.shard, &o.shards, &used) == 2 &&
         size_t(used) == text.size() && o.shards >= 1 && o.shard >= 0 && o.shard < o.shards;
}

// Those that are given, else those that a resumed run began with, else new ones.
void SetSeeds(RunArgs& a, const store::Store& store) {
  auto runs = store.Runs();
  const bool begun = runs.ok() && !runs->empty();
  const bench::Config before = begun ? bench::ConfigFromJson(runs->at(0).config) : bench::Config();
  a.config.seed = a.seed ? *a.seed : begun ? before.seed : base::DrawSeed();
  a.config.hidden_seed = a.hidden_seed ? *a.hidden_seed
                         : begun       ? before.hidden_seed
                                       : base::DrawSeed();
}

// The command line of a worker on another node, without its shard and its store.
std::vector<std::string> WorkerCommand(const RunArgs& a) {
  auto absolute = [](const std::string& p) { return std::filesystem::absolute(p).string(); };
  std::vector<std::string> out{(base::ExecutableDir() / "akgen").string(), "bench", "run",
                               "--candidates", absolute(a.candidates)};
  auto add = [&](const char* name, const std::string& value) {
    out.insert(out.end(), {name, value});
  };
  std::string tasks;
  for (const auto& t : a.tasks)
    tasks += (tasks.empty() ? "" : ",") + (bench::NamesFolder(t) ? absolute(t) : t);
  const bench::Config& c = a.config;
  add("--tasks", tasks), add("-n", std::to_string(c.samples)), add("-j", std::to_string(a.jobs)),
      add("--chip", c.chip), add("--profile", c.profile);
  add("--mode", c.mode + "," + c.form), add("--precision", c.precision), add("--inputs", c.inputs),
      add("--cases", std::to_string(c.max_cases)), add("--hidden", std::to_string(c.hidden));
  add("--hidden-seed", std::to_string(c.hidden_seed)), add("--seed", std::to_string(c.seed)),
      add("--checks", a.judging.checks), add("--backend", a.judging.backend),
      add("--timeout", std::to_string(c.timeout_s));
  if (c.devices.npu)
    add("--device", c.devices.sim ? "sim,npu" : "npu"),
        add("--npu", std::to_string(c.devices.npu_id));
  for (const auto& i : c.include_dirs) add("-I", i);
  if (!a.host.empty()) add("--host", absolute(a.host));
  if (c.time) out.push_back("--time");
  if (a.no_cache) out.push_back("--no-cache");
  if (a.require_layers) out.push_back("--require-layers");
  return out;
}

base::Result<bench::RunSummary> OnSlurm(const RunArgs& a, const std::vector<bench::Unit>& units,
                                        store::Store& store, Progress& bar) {
  auto candidates =
      bench::FindCandidates(a.candidates, units, a.config.samples, a.config.form == "kernel-only");
  if (!candidates.ok()) return candidates.error();
  std::string id;
  if (auto s = store.AddRun(bench::ToJson(a.config), id); !s.ok())
    return s.error();  // keeps the seeds
  bench::SlurmOptions o;
  o.worker = WorkerCommand(a);
  o.workers = a.workers;
  o.candidates = candidates->size();
  o.stop = CatchStop();
  o.progress = [&](size_t done) { bar.Show(done, candidates->size(), 0, "on Slurm"); };
  std::istringstream words(a.slurm_options);
  for (std::string w; words >> w;) o.sbatch.push_back(w);
  return bench::RunOnSlurm(o, store);
}

int Report(const bench::RunSummary& s, const RunArgs& a, bool stopped) {
  constexpr size_t kShown = 10;
  for (const auto& e : s.changed) PrintError(e);
  for (size_t i = 0; i < std::min(kShown, s.faults.size()); ++i) PrintError(s.faults[i]);
  if (s.faults.size() > kShown)
    fmt::print(stderr, "… and {} more of AK0516\n", s.faults.size() - kShown);
  fmt::print("{}: {} candidates, {} judged now ({} from the cache), {} before{}\n", a.out,
             s.candidates, s.judged, s.from_cache, s.before,
             s.left ? fmt::format(", {} left", s.left) : "");
  if (s.judged || s.before) WarnOfMissingLayers();
  WarnOfUnsealed(a.config.backend);
  if (stopped) fmt::print("stopped; the same command resumes\n");
  if (!a.json.empty())
    if (int rc = WriteJson({{"run", s.run},
                            {"sealed", record::IsSealed(a.config.backend)},
                            {"candidates", s.candidates},
                            {"judged", s.judged},
                            {"from_cache", s.from_cache},
                            {"before", s.before},
                            {"left", s.left}},
                           a.json))
      return rc;
  if (s.changed.empty() && s.left && s.left == s.task_faults) return kUsage;
  return s.changed.empty() && !s.left ? kOk : kFault;
}

int RunBench(RunArgs a) {
  // On a cluster the workers look: the machine that submits runs nothing.
  if (int rc = a.executor == "slurm" ? kOk : CheckLayers(a.require_layers)) return rc;
  bench::RunOptions o;
  if (!ParseShard(a.shard, o)) {
    PrintError({"AK0512", "--shard must be i/n with 0 <= i < n, got " + a.shard, "",
                "for example --shard 0/4 … --shard 3/4"});
    return kUsage;
  }
  for (const auto& m : a.modes)
    (m == "dynamic" || m == "static" ? a.config.mode : a.config.form) = m;
  if (!a.host.empty() && a.config.form != "kernel-only") {
    PrintError({"AK0512", "--host gives host sides, but candidates bring their own", a.host,
                "add --mode kernel-only"});
    return kUsage;
  }
  a.config.chip = a.judging.chip, a.config.backend = a.judging.Backend();
  a.config.checks = a.judging.Checks(), a.config.timeout_s = a.judging.timeout_s;
  a.config.devices = a.judging.Devices();
  if (a.executor != "slurm" && a.config.devices.npu)  // ahead of hours on the chip
    if (auto npu = device::Npu::Open({a.config.devices.npu_id}); !npu.ok())
      return PrintError(npu.error()), kFault;
  auto tasks = bench::SelectTasks(a.tasks);
  auto chip = chip::LoadChip(a.config.chip);
  if (!tasks.ok() || !chip.ok()) {
    PrintError(tasks.ok() ? chip.error() : tasks.error());
    return kUsage;
  }
  auto units = bench::UnitsOf(*tasks, a.config);
  auto hosts =
      units.ok() ? bench::HashOfHosts(a.host, *units) : base::Result<std::string>(std::string());
  if (!units.ok() || !hosts.ok()) {
    PrintError(units.ok() ? hosts.error() : units.error());
    return kFault;
  }
  for (const auto& u : *units) a.config.units.push_back(u.name);
  a.config.judge_hash = judge::HashOfJudge();
  a.config.chip_hash = judge::HashOfChip(a.config.chip);
  a.config.host_hash = *hosts;
  std::vector<bench::Generated> made;
  if (!a.generator.empty()) {
    if (int rc = Generate(*units, a.config, a.candidates, a.out, made)) return rc;
  } else if (a.candidates.empty() || a.out.empty()) {
    PrintError({"AK0510", "candidates and a store are needed", "",
                "--candidates DIR --out run.db, or --generator plan"});
    return kUsage;
  }
  auto store = store::Store::Open(a.out, store::Access::kAppend);
  if (!store.ok()) return StoreFailed(store.error());
  SetSeeds(a, *store);
  o.candidates = a.candidates;
  o.hosts = a.host;
  o.jobs = a.jobs;
  o.cache = !a.no_cache;
  o.stop = CatchStop();
  if (!a.generator.empty() &&
      std::none_of(made.begin(), made.end(), [](const bench::Generated& g) { return g.emitted(); }))
    return ReportGenerated(made, *store, "", a.json);
  Progress bar;
  o.progress = [&](const bench::RunOptions::Progress& p) {
    bar.Show(p.done, p.all, p.before, p.what + " " + p.verdict);
  };
  for (auto& dir : a.config.include_dirs) dir = std::filesystem::absolute(dir).string();
  auto summary = a.executor == "slurm" ? OnSlurm(a, *units, *store, bar)
                                       : bench::Run(a.config, *units, *store, o);
  bar.End();
  if (!summary.ok()) return StoreFailed(summary.error());
  if (a.generator.empty() || *o.stop || summary->left) return Report(*summary, a, *o.stop);
  WarnOfMissingLayers();
  WarnOfUnsealed(a.config.backend);
  return ReportGenerated(made, *store, summary->run, a.json);
}

int RunMerge(const std::vector<std::string>& parts, const std::string& out) {
  auto store = store::Store::Open(out, store::Access::kAppend);
  if (!store.ok()) return StoreFailed(store.error());
  auto merged = bench::Merge({parts.begin(), parts.end()}, *store);
  if (!merged.ok()) return StoreFailed(merged.error());
  fmt::print("{}: {} candidates in {} files, {} verdicts new\n", out, merged->candidates,
             parts.size(), merged->judged);
  return kOk;
}

void AddBenchRun(CLI::App& bench, int& exit_code) {
  auto a = std::make_shared<RunArgs>();
  CLI::App* c =
      bench.add_subcommand("run", "Judge many candidates against many tasks, into one store");
  c->add_option("--tasks", a->tasks,
                "level1, level2, …, all, names, or folders of your own tasks; comma-separated")
      ->delimiter(',')
      ->required();
  c->add_option("--candidates", a->candidates,
                "Folder with the candidates: DIR/Task/sampleK/{op_host,op_kernel}, or a checkout "
                "of NPUKernelBench");
  c->add_option("--generator", a->generator,
                "plan: the planner writes the candidates first, into --candidates (default: the "
                "cache); --out may be "
                "left out as well")
      ->check(CLI::IsMember({"plan"}));
  c->add_option("--out", a->out, "The store, a SQLite file; an existing one is resumed");
  c->add_option("-n,--samples", a->config.samples, "Samples per task; missing ones count as failed")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("-j,--jobs", a->jobs, "Candidates judged at a time")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  a->judging.AddTo(*c, JudgingOptions::kAll | JudgingOptions::kDevice);
  c->add_option("--profile", a->config.profile,
                "Which cases: full, sim (up to 2^21 elements), tiny (2^14), ragged (drawn shapes)")
      ->check(CLI::IsMember({"full", "sim", "tiny", "ragged"}))
      ->capture_default_str();
  c->add_option("--mode", a->modes,
                "dynamic: a candidate answers all cases of its task; static: "
                "DIR/Task/caseID/sampleK answers one. "
                "full: it is host and kernel; kernel-only: a kernel. Default dynamic,full")
      ->delimiter(',')
      ->check(CLI::IsMember({"dynamic", "static", "full", "kernel-only"}));
  c->add_option("--host", a->host,
                "kernel-only: folder whose projects (or a checkout whose answers) provide the host "
                "side; default: the "
                "tasks' own");
  c->add_option("--inputs", a->config.inputs,
                "wide, or upstream for the benchmark's own number: its distributions, without the "
                "range group")
      ->check(CLI::IsMember({"wide", "upstream"}));
  c->add_option("--precision", a->config.precision, "strict, or upstream for the tasks' own rules")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str();
  c->add_flag("--time", a->config.time, "Model the time of every case: fast_p and HAP");
  c->add_option("--cases", a->config.max_cases, "Only the first so many cases of each task; 0: all")
      ->capture_default_str();
  c->add_option("--hidden", a->config.hidden, "Hidden cases per task")->capture_default_str();
  c->add_option("--hidden-seed", a->hidden_seed,
                "Seed of the hidden cases; default: drawn once per run");
  c->add_option("--seed", a->seed, "Seed of the public cases' values; default: drawn once per run");
  c->add_option("-I,--include", a->config.include_dirs, "Further include folders for host code");
  c->add_option("--shard", a->shard, "i/n: judge every n-th candidate from the i-th on")
      ->capture_default_str();
  c->add_option("--executor", a->executor,
                "local, or slurm: workers as a job array on this cluster")
      ->check(CLI::IsMember({"local", "slurm"}))
      ->capture_default_str();
  c->add_option("--workers", a->workers, "Slurm: how many workers, of -j jobs each")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  c->add_option("--slurm-options", a->slurm_options,
                "Slurm: further options of sbatch, for example \"--partition=cpu --time=2:00:00\"");
  c->add_flag("--no-cache", a->no_cache, "Ignore cached verdicts");
  AddLayersOption(*c, a->require_layers);
  c->add_option("--json", a->json, "Write a summary to this file (- for standard output)");
  c->footer(
      "Example: akgen bench run --tasks level1,level2 --candidates answers -n 10 -j 2 --out "
      "run.db\n"
      "         akgen bench show run.db\n"
      "         akgen bench run --generator plan --tasks level1,level2 --json plan.json\n"
      "The same command resumes an interrupted run, even after kill -9: nothing is lost or judged "
      "twice.\n"
      "Exit code: 0 all judged (whatever the verdicts), 2 usage error, 3 something could not be "
      "judged.");
  c->callback([a, &exit_code] { exit_code = RunBench(*a); });
}

void AddBenchMerge(CLI::App& bench, int& exit_code) {
  auto parts = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  CLI::App* c = bench.add_subcommand("merge", "Merge the shards of a run");
  c->add_option("parts", *parts, "Stores of the shards")->required();
  c->add_option("--out", *out, "Store to merge into")->required();
  c->footer("Example: akgen bench merge part0.db part1.db --out run.db");
  c->callback([parts, out, &exit_code] { exit_code = RunMerge(*parts, *out); });
}
}  // namespace

static void AddBench(CLI::App& app, int& exit_code) {
  CLI::App* bench =
      app.add_subcommand("bench", "Benchmarks: many tasks, many candidates, one store");
  bench->require_subcommand(1);
  AddBenchRun(*bench, exit_code);
  AddBenchMerge(*bench, exit_code);
  AddBenchShow(*bench, exit_code);
  AddBenchLint(*bench, exit_code);
  AddBenchKernelBench(*bench, exit_code);
}

static const Command kBenchCommand{100, AddBench};

}  // namespace akgen::cli
