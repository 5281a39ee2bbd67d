#include "corpus/records/synthetic.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "corpus/records/benchmark.h"
#include "corpus/records/record.h"
#include "corpus/records/stage.h"
#include "judge/session/provenance.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;

namespace {
constexpr uint64_t kMaxTries = 20;  // for one record: a composer that only repeats itself ends

struct Draft {
  std::string refused, failed, canonical, key;
  Sketch sketch{};
  Json record;
  bool in_benchmark = false;
};

// Makes batches of drafts in several threads; Next() hands them out in order. No more are begun
// than are likely to be needed, and of the last one a part: a composition takes a second to build.
class Workshop {
 public:
  Workshop(const SyntheticOptions& o, const Benchmark& benchmark, uint64_t first_batch, int workers)
      : o_(o),
        benchmark_(benchmark),
        next_(first_batch),
        wanted_(first_batch),
        ahead_(static_cast<uint64_t>(workers) * 2),
        provenance_{{"judge", judge::HashOfJudge()}, {"chip", judge::HashOfChip(o.chip)}} {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { Work(); });
  }
  ~Workshop() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& t : threads_) t.join();
  }
  // The next batch, of which `used` drafts are known already; `missing`: records that are wanted
  // still. Less than a whole batch, `per_build`, is the beginning of one: the next call gives more
  // of it.
  base::Result<std::vector<Draft>> Next(uint64_t used, uint64_t missing) {
    std::unique_lock lock(mutex_);
    const uint64_t likely = used + missing + missing / 2 + 4;
    end_ = wanted_ + (likely + o_.per_build - 1) / o_.per_build;
    part_ = end_ == wanted_ + 1 ? std::min<uint64_t>(likely, o_.per_build) : o_.per_build;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_.count(wanted_) || !trouble_.message.empty(); });
    if (!done_.count(wanted_)) return trouble_;
    std::vector<Draft> out = std::move(done_.at(wanted_));
    done_.erase(wanted_);
    if (out.size() == o_.per_build)
      ++wanted_;
    else
      next_ = end_ = wanted_;  // more of it when it is asked for
    lock.unlock();
    changed_.notify_all();
    return out;
  }

 private:
  void Work() {
    auto validator = judge::Validator::Start(o_.chip);
    if (!validator.ok()) {
      std::lock_guard lock(mutex_);
      trouble_ = validator.error();
      changed_.notify_all();
      return;
    }
    for (;;) {
      uint64_t batch, size;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || (next_ < end_ && next_ < wanted_ + ahead_); });
        if (stop_) return;
        size = next_ == wanted_ ? part_ : o_.per_build;
        batch = next_++;
      }
      std::vector<Draft> made = Make(*validator, batch, size);
      std::lock_guard lock(mutex_);
      done_[batch] = std::move(made);
      changed_.notify_all();
    }
  }

  std::vector<Draft> Make(judge::Validator& validator, uint64_t batch, uint64_t size) {
    std::vector<Candidate> all;
    for (uint64_t i = 0; i < size; ++i)
      all.push_back(Prepare(o_.seed, batch * o_.per_build + i, validator.target()));
    Verify(validator, all);
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].failed.starts_with("crashed"))
        continue;  // a machine in trouble must not decide what is in the corpus
      std::vector<Candidate> again;
      again.push_back(Prepare(o_.seed, batch * o_.per_build + i, validator.target()));
      Verify(validator, again);
      all[i] = std::move(again[0]);
    }
    std::vector<Draft> out;
    for (const Candidate& c : all) {
      Draft d;
      d.refused = c.refused;
      d.failed = c.failed;
      if (c.refused.empty() && c.failed.empty()) {
        d.canonical = CanonicalOf(c.composition);
        std::string reference = ReferenceText(c.composition);
        for (const std::string& one : CanonicalsOf(c.composition))
          d.in_benchmark |= !benchmark_.Match(one, reference).empty();
        d.sketch = SketchOf(reference);
        d.record = RecordOf(c, d.canonical, validator.limits(), provenance_);
      }
      out.push_back(std::move(d));
    }
    return out;
  }

  const SyntheticOptions& o_;
  const Benchmark& benchmark_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t next_, wanted_, ahead_;
  uint64_t end_ = 0;   // no batch from here on is likely to be needed
  uint64_t part_ = 0;  // drafts of the batch that is wanted
  bool stop_ = false;
  base::Error trouble_{};
  std::map<uint64_t, std::vector<Draft>> done_;
  Json provenance_;
  std::vector<std::thread> threads_;
};

class BuildingSynthetic {
 public:
  BuildingSynthetic(const fs::path& dir, const SyntheticOptions& o, Stage stage)
      : dir_(dir), o_(o), stage_(std::move(stage)) {}

  base::Result<SyntheticBuilt> Run() {
    const uint64_t before = Count("records");
    if (before >= o_.count) return Finish();
    auto benchmark =
        LoadBenchmark(dir_.parent_path() / "benchmark_graphs.json", [&](size_t done, size_t all) {
          if (o_.progress)
            o_.progress(before, before,
                        fmt::format("reading the benchmark's tasks, {} of {}", done, all));
        });
    if (!benchmark.ok()) return benchmark.error();
    int workers = o_.workers > 0
                      ? o_.workers
                      : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    Workshop workshop(o_, *benchmark, Count("batches"), workers);
    auto start = std::chrono::steady_clock::now();
    const double spent = stage_.state().seconds;
    while (Count("records") < o_.count) {
      if (Count("tried") > (o_.most_tries ? o_.most_tries : kMaxTries * o_.count + 10000))
        return base::Error{"AK0803", "new records have become too rare", dir_.string(),
                           "ask for fewer, or take another seed"};
      // A batch that is not used up, because there are enough, is made again when more are wanted.
      const uint64_t used = Count("taken");
      auto drafts = workshop.Next(used, o_.count - Count("records"));
      if (!drafts.ok()) return drafts.error();
      if (auto s = stage_.Begin(); !s.ok()) return s.error();
      std::string lines;
      uint64_t at = 0;
      for (; at < drafts->size() && Count("records") < o_.count; ++at)
        if (at >= used) Take((*drafts)[at], lines);
      stage_.Set("taken", at < o_.per_build ? at : 0);
      if (at == o_.per_build) Add("batches");
      stage_.state().seconds =
          spent + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (auto s = stage_.Commit(lines); !s.ok()) return s.error();
      if (o_.progress)
        o_.progress(Count("records"), before,
                    fmt::format("{} graphs, {} duplicates", Count("distinct_graphs"),
                                Count("duplicates_removed") + Count("near_duplicates_removed")));
    }
    return Finish();
  }

 private:
  uint64_t Count(const char* name) const { return stage_.Count(name); }
  void Add(const char* name) { stage_.Add(name); }

  void Take(const Draft& d, std::string& lines) {
    Add("tried");
    if (!d.refused.empty()) return Add("refused"), stage_.Reason("refusals", d.refused);
    if (!d.failed.empty()) return Add("failed"), stage_.Reason("failures", d.failed);
    Add("verified");
    if (d.in_benchmark) return Add("benchmark_removed");
    if (!stage_.ledger().AddKey("graph", d.canonical)) return Add("duplicates_removed");
    if (stage_.ledger().AddSketch(d.sketch, static_cast<int64_t>(Count("tried")),
                                  o_.dedup_threshold) >= 0)
      return Add("near_duplicates_removed");
    Add("records");
    Add("distinct_graphs");
    lines += base::Dump(d.record) + "\n";
  }

  base::Result<SyntheticBuilt> Finish() {
    auto finished = stage_.Finish("synthetic", {{"options",
                                                 {{"count", o_.count},
                                                  {"seed", o_.seed},
                                                  {"alike", o_.dedup_threshold},
                                                  {"chip", o_.chip}}},
                                                {"judge", judge::HashOfJudge()},
                                                {"chip", judge::HashOfChip(o_.chip)}});
    if (!finished.ok()) return finished.error();
    return SyntheticBuilt{Count("records"),
                          Count("verified"),
                          Count("tried"),
                          Count("refused"),
                          Count("failed"),
                          Count("duplicates_removed"),
                          Count("near_duplicates_removed"),
                          Count("benchmark_removed"),
                          stage_.state().seconds};
  }

  const fs::path dir_;
  const SyntheticOptions& o_;
  Stage stage_;
};
}  // namespace

base::Result<SyntheticBuilt> BuildSynthetic(const fs::path& dir, const SyntheticOptions& options) {
  Json same{{"seed", options.seed},
            {"alike", options.dedup_threshold},
            {"chip", options.chip},
            {"together", options.per_build}};
  auto stage = Stage::Open(
      dir / "synthetic", same,
      {"records", "verified", "tried", "refused", "failed", "duplicates_removed",
       "near_duplicates_removed", "benchmark_removed", "distinct_graphs", "batches", "taken"},
      {"refusals", "failures"});
  if (!stage.ok()) return stage.error();
  return BuildingSynthetic(dir / "synthetic", options, std::move(*stage)).Run();
}

}  // namespace akgen::corpus
