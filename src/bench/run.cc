#include "bench/run.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/hash.h"
#include "bench/work.h"
#include "judge/session/provenance.h"
#include "record/judgement.h"

namespace akgen::bench {
using base::Error;
using base::Result;
using base::Status;

namespace {
struct Item {
  const LoadedUnit* unit;
  Candidate candidate;
  std::string hash;
};

// The queue all workers take from, and the one place that writes to the store.
class Board {
 public:
  Board(store::Store& store, const RunOptions& options, RunSummary& summary,
        std::vector<Item> items)
      : store_(store), options_(options), summary_(summary), items_(std::move(items)) {}

  const Item* Next() {
    std::lock_guard lock(mutex_);
    return failed_ || Stopped() || next_ == items_.size() ? nullptr : &items_[next_++];
  }

  void Done(const Item& item, Result<std::vector<store::VerdictRow>> verdicts) {
    std::lock_guard lock(mutex_);
    // Who stops the run may have stopped the helper processes as well: that is no verdict and
    // nobody's fault.
    if (Stopped() && (!verdicts.ok() || Unjudged(*verdicts))) return;
    if (!verdicts.ok()) return Refused(verdicts.error());
    for (const auto& v : *verdicts)
      if (const auto why = WhyUnjudged(v)) {
        summary_.task_faults += v.task_fault;
        return summary_.faults.push_back({"AK0516", "could not be judged: " + *why,
                                          item.candidate.dir.string(),
                                          "fix what is named, then start the same command again"});
      }
    if (Status s = store_.AddVerdicts(summary_.run, *verdicts); !s.ok()) return Refused(s.error());
    ++summary_.judged;
    summary_.from_cache += (*verdicts)[0].cached;
    if (options_.progress)
      options_.progress({summary_.before + summary_.judged, summary_.candidates, summary_.before,
                         item.unit->unit.name + " sample " + std::to_string(item.candidate.sample),
                         (*verdicts)[0].verdict});
  }

  const std::optional<Error>& failed() const { return failed_; }

 private:
  // On the chip, or on the device beside it.
  static std::optional<std::string> WhyUnjudged(const store::VerdictRow& v) {
    if (v.verdict == "infra_error" || v.task_fault) return v.reason;
    const auto j = record::JudgementFromJson(v.record);
    if (!j.ok() || j->npu.empty() || j->npu[0].verdict != record::Verdict::kInfraError)
      return std::nullopt;
    return "on the device: " + j->npu[0].reason;
  }
  static bool Unjudged(const std::vector<store::VerdictRow>& verdicts) {
    return std::any_of(verdicts.begin(), verdicts.end(),
                       [](const auto& v) { return WhyUnjudged(v).has_value(); });
  }
  bool Stopped() const { return options_.stop && options_.stop->load(); }
  // A candidate that changed costs only itself; anything else ends the run.
  void Refused(const Error& e) {
    if (e.code == "AK0511")
      summary_.changed.push_back(e);
    else if (!failed_)
      failed_ = e;
  }

  store::Store& store_;
  const RunOptions& options_;
  RunSummary& summary_;
  std::vector<Item> items_;
  size_t next_ = 0;
  std::optional<Error> failed_;
  std::mutex mutex_;
};

Status CheckSameRun(const store::Store& store, const Config& config) {
  auto runs = store.Runs();
  if (!runs.ok()) return runs.error();
  if (runs->empty()) return {};
  std::string different = Differences(runs->at(0).config, ToJson(config));
  if (different.empty()) return {};
  return Error{"AK0512", "the file holds a run that differs in: " + different,
               store.path().string(),
               "resume with the command the run was started with, or name a new file"};
}

Result<std::vector<LoadedUnit>> Load(const std::vector<Unit>& units, const Config& config,
                                     const std::filesystem::path& hosts) {
  std::vector<LoadedUnit> out;
  for (const Unit& u : units) {
    LoadedUnit l;
    l.unit = u;
    auto spec = task::LoadTaskFolder(u.task.folder);
    if (!spec.ok()) return spec.error();
    l.spec = std::move(*spec);
    l.hash = judge::HashOfTask(l.spec);
    if (!hosts.empty()) l.host = FindHost(hosts, u);
    if (!l.host.empty()) l.host_hash = base::HashOfFolder(l.host / "op_host");
    auto cases = ProfileCases(l.spec, config, u.case_id);
    if (!cases.ok()) return cases.error();
    l.cases = std::move(*cases);
    out.push_back(std::move(l));
  }
  return out;
}

Result<std::vector<Item>> Enter(const std::vector<LoadedUnit>& units,
                                const std::vector<Candidate>& candidates, store::Store& store,
                                const std::string& run) {
  std::vector<store::TaskRow> tasks;
  for (const LoadedUnit& u : units)
    tasks.push_back({u.unit.name, u.unit.task.category, u.hash, u.unit.task.level});
  if (Status s = store.AddTasks(run, tasks); !s.ok()) return s.error();
  std::vector<store::CandidateRow> rows;
  std::vector<Item> items;
  for (const Candidate& c : candidates) {
    auto hash = HashOfCandidate(c);
    if (!hash.ok()) return hash.error();
    rows.push_back({units[c.unit].unit.name, store.Kept(c.dir), *hash, c.sample});
    items.push_back({&units[c.unit], c, *hash});
  }
  if (Status s = store.AddCandidates(run, rows); !s.ok()) return s.error();
  return items;
}

// Leaves out what has its verdict already.
Result<std::vector<Item>> Missing(std::vector<Item> items, const store::Store& store,
                                  const std::string& run) {
  auto verdicts = store.Verdicts(run, false);
  if (!verdicts.ok()) return verdicts.error();
  std::set<std::pair<std::string, int>> have;
  for (const auto& v : *verdicts) have.insert({v.task, v.sample});
  std::erase_if(
      items, [&](const Item& i) { return have.contains({i.unit->unit.name, i.candidate.sample}); });
  return items;
}
}  // namespace

Result<std::vector<Unit>> UnitsOf(const std::vector<task::TaskInfo>& tasks, const Config& config) {
  std::vector<Unit> out;
  for (const task::TaskInfo& t : tasks) {
    if (config.mode != "static") {
      out.push_back({t.name, t, ""});
      continue;
    }
    auto spec = task::LoadTaskFolder(t.folder);
    if (!spec.ok()) return spec.error();
    auto cases = ProfileCases(*spec, config, "");
    if (!cases.ok()) return cases.error();
    for (const auto& row : *cases) out.push_back({t.name + "@" + row.id, t, row.id});
  }
  return out;
}

Result<RunSummary> Run(const Config& config, const std::vector<Unit>& units, store::Store& store,
                       const RunOptions& options) {
  RunSummary summary;
  if (Status s = CheckSameRun(store, config); !s.ok()) return s.error();
  auto loaded = Load(units, config, options.hosts);
  if (!loaded.ok()) return loaded.error();
  auto candidates =
      FindCandidates(options.candidates, units, config.samples, config.form == "kernel-only");
  if (!candidates.ok()) return candidates.error();
  if (Status s = store.AddRun(ToJson(config), summary.run); !s.ok()) return s.error();
  std::vector<Candidate> mine;
  for (size_t i = size_t(options.shard); i < candidates->size(); i += size_t(options.shards))
    mine.push_back((*candidates)[i]);
  auto items = Enter(*loaded, mine, store, summary.run);
  if (!items.ok()) return items.error();
  summary.candidates = items->size();
  auto missing = Missing(std::move(*items), store, summary.run);
  if (!missing.ok()) return missing.error();
  summary.before = summary.candidates - missing->size();
  size_t workers = std::min(size_t(std::max(1, options.jobs)), missing->size());
  Board board(store, options, summary, std::move(*missing));
  judge::Pool pool(static_cast<int>(workers));
  std::vector<std::thread> threads;
  for (size_t w = 0; w < workers; ++w)
    threads.emplace_back([&] {
      Worker worker(config, options.cache, pool);
      while (const Item* item = board.Next())
        board.Done(*item, worker.Judge(*item->unit, item->candidate, item->hash));
    });
  for (std::thread& t : threads) t.join();
  if (board.failed()) return *board.failed();
  summary.left = summary.candidates - summary.before - summary.judged;
  return summary;
}

Result<RunSummary> Merge(const std::vector<std::filesystem::path>& parts, store::Store& into) {
  RunSummary summary;
  for (const auto& path : parts) {
    auto part = store::Store::Open(path, store::Access::kRead);
    if (!part.ok()) return part.error();
    auto runs = part->Runs();
    if (!runs.ok()) return runs.error();
    auto have = into.Runs();
    if (!have.ok()) return have.error();
    for (const auto& r : *runs) {
      if (!have->empty() && have->at(0).id != r.id)
        return Error{"AK0513",
                     "this is a part of another run; it differs in: " +
                         Differences(have->at(0).config, r.config),
                     path.string(),
                     "give all shards the same options, --seed and --hidden-seed included"};
      if (Status s = into.AddRun(r.config, summary.run); !s.ok()) return s.error();
      auto tasks = part->Tasks(r.id);
      auto candidates = part->Candidates(r.id);
      auto verdicts = part->Verdicts(r.id);
      auto known = into.Verdicts(r.id, false);
      if (!tasks.ok() || !candidates.ok() || !verdicts.ok() || !known.ok())
        return !tasks.ok()        ? tasks.error()
               : !candidates.ok() ? candidates.error()
               : !verdicts.ok()   ? verdicts.error()
                                  : known.error();
      if (Status s = into.AddTasks(r.id, *tasks); !s.ok()) return s.error();
      for (auto& c : *candidates) c.path = into.Kept(part->FolderOf(c));
      if (Status s = into.AddCandidates(r.id, *candidates); !s.ok()) return s.error();
      std::set<std::tuple<std::string, int, std::string>> keys;
      for (const auto& v : *known) keys.insert({v.task, v.sample, v.part});
      std::erase_if(*verdicts,
                    [&](const auto& v) { return keys.contains({v.task, v.sample, v.part}); });
      if (Status s = into.AddVerdicts(r.id, *verdicts); !s.ok()) return s.error();
      summary.candidates += candidates->size();
      summary.judged += verdicts->size();
    }
  }
  return summary;
}

}  // namespace akgen::bench
