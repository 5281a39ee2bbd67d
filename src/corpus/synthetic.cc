#include "corpus/synthetic.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/files.h"
#include "corpus/benchmark.h"
#include "corpus/canonical.h"
#include "corpus/ledger.h"
#include "corpus/record.h"
#include "judge/provenance.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;

namespace {
constexpr uint64_t kMostTries = 20;      // for one record: a composer that only repeats itself ends
constexpr size_t kMostReasons = 40;

struct Draft {
  std::string refused, failed, canonical, key;
  Sketch sketch{};
  Json record;
  bool in_benchmark = false;
};

// Makes batches of drafts in several threads; Next() hands them out in order.
class Workshop {
 public:
  Workshop(const SyntheticOptions& o, const Benchmark& benchmark, uint64_t first_batch, int workers)
      : o_(o), benchmark_(benchmark), next_(first_batch), wanted_(first_batch), ahead_(static_cast<uint64_t>(workers) * 2),
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
  base::Result<std::vector<Draft>> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_.count(wanted_) || !trouble_.message.empty(); });
    if (!done_.count(wanted_)) return trouble_;
    std::vector<Draft> out = std::move(done_.at(wanted_));
    done_.erase(wanted_++);
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
      uint64_t batch;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || next_ < wanted_ + ahead_; });
        if (stop_) return;
        batch = next_++;
      }
      std::vector<Draft> made = Make(*validator, batch);
      std::lock_guard lock(mutex_);
      done_[batch] = std::move(made);
      changed_.notify_all();
    }
  }

  std::vector<Draft> Make(judge::Validator& validator, uint64_t batch) {
    std::vector<Candidate> all;
    for (uint64_t i = 0; i < o_.together; ++i) all.push_back(Prepare(o_.seed, batch * o_.together + i));
    Verify(validator, all);
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].failed.starts_with("crashed")) continue;   // a machine in trouble must not decide what is in the corpus
      std::vector<Candidate> again;
      again.push_back(Prepare(o_.seed, batch * o_.together + i));
      Verify(validator, again);
      all[i] = std::move(again[0]);
    }
    std::vector<Draft> out;
    for (const Candidate& c : all) {
      Draft d;
      d.refused = c.refused;
      d.failed = c.failed;
      if (c.refused.empty() && c.failed.empty()) {
        d.canonical = CanonicalHash(GraphOf(c.composition, c.composition.cases[0]));
        std::string reference = ReferenceText(c.composition);
        d.in_benchmark = !benchmark_.Match(d.canonical, reference).empty();
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
  bool stop_ = false;
  base::Error trouble_{};
  std::map<uint64_t, std::vector<Draft>> done_;
  Json provenance_;
  std::vector<std::thread> threads_;
};

class Building {
 public:
  Building(const fs::path& dir, const SyntheticOptions& o, Ledger ledger) : dir_(dir), o_(o), ledger_(std::move(ledger)) {}

  base::Result<Json> Run() {
    if (auto s = Resume(); !s.ok()) return s.error();
    const uint64_t before = Count("records");
    if (before >= o_.count) return Finish();
    auto benchmark = LoadBenchmark(dir_.parent_path() / "benchmark_graphs.json", [&](size_t done, size_t all) {
      if (o_.progress) o_.progress(before, before, fmt::format("reading the benchmark's tasks, {} of {}", done, all));
    });
    if (!benchmark.ok()) return benchmark.error();
    int workers = o_.workers > 0 ? o_.workers : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    Workshop workshop(o_, *benchmark, Count("batches"), workers);
    auto start = std::chrono::steady_clock::now();
    const double spent = s_["seconds"];
    while (Count("records") < o_.count) {
      if (Count("tried") > (o_.most_tries ? o_.most_tries : kMostTries * o_.count + 10000)) return base::Error{"AK0803", "new records have become too rare", dir_.string(), "ask for fewer, or take another seed"};
      auto drafts = workshop.Next();
      if (!drafts.ok()) return drafts.error();
      if (auto s = ledger_.Begin(); !s.ok()) return s.error();
      std::string lines;
      // A batch that is not used up, because there are enough, is made again when more are wanted.
      const uint64_t used = Count("taken");
      uint64_t at = 0;
      for (; at < drafts->size() && Count("records") < o_.count; ++at)
        if (at >= used) Take((*drafts)[at], lines);
      s_["taken"] = at < drafts->size() ? at : 0;
      if (at == drafts->size()) Add("batches");
      s_["seconds"] = spent + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (auto s = Append(lines); !s.ok()) return s.error();
      if (auto s = ledger_.Commit(s_); !s.ok()) return s.error();
      if (o_.progress) o_.progress(Count("records"), before, fmt::format("{} graphs, {} duplicates", Count("distinct_graphs"), Count("duplicates_removed") + Count("near_duplicates_removed")));
    }
    return Finish();
  }

 private:
  uint64_t Count(const char* name) const { return s_[name].get<uint64_t>(); }
  void Add(const char* name) { s_[name] = Count(name) + 1; }
  void Reason(const char* table, const std::string& why) {
    std::string key = why.substr(0, 90);
    for (char& c : key)
      if (std::isdigit(static_cast<unsigned char>(c))) c = '#';
    if (!s_[table].contains(key) && s_[table].size() >= kMostReasons) key = "others";
    s_[table][key] = s_[table].value(key, 0) + 1;
  }

  // What is behind the last commit in the file was written by a run that was stopped.
  base::Status Resume() {
    s_ = ledger_.State();
    if (!s_.is_object()) {
      s_ = {{"seconds", 0.0}, {"refusals", Json::object()}, {"failures", Json::object()}};
      for (const char* n : {"records", "verified", "tried", "refused", "failed", "duplicates_removed", "near_duplicates_removed", "benchmark_removed", "distinct_graphs", "batches", "bytes", "taken"}) s_[n] = 0;
    }
    fs::path file = dir_ / "records.jsonl";
    std::error_code ec;
    uint64_t size = fs::exists(file, ec) ? fs::file_size(file, ec) : 0;
    if (ec || size < Count("bytes")) return base::Error{"AK0801", file.string() + " is shorter than its ledger says", file.string(), "remove the folder and build again"};
    if (size > Count("bytes")) fs::resize_file(file, Count("bytes"), ec);
    if (ec) return base::Error{"AK0002", "cannot cut " + file.string() + ": " + ec.message(), file.string(), ""};
    return {};
  }

  void Take(const Draft& d, std::string& lines) {
    Add("tried");
    if (!d.refused.empty()) return Add("refused"), Reason("refusals", d.refused);
    if (!d.failed.empty()) return Add("failed"), Reason("failures", d.failed);
    Add("verified");
    if (d.in_benchmark) return Add("benchmark_removed");
    if (!ledger_.AddKey("graph", d.canonical)) return Add("duplicates_removed");
    if (ledger_.AddSketch(d.sketch, static_cast<int64_t>(Count("tried")), o_.alike) >= 0) return Add("near_duplicates_removed");
    Add("records");
    Add("distinct_graphs");
    lines += d.record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  base::Status Append(const std::string& lines) {
    const fs::path file = dir_ / "records.jsonl";
    base::Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    for (size_t at = 0; fd.valid() && at < lines.size();) {
      ssize_t n = ::write(fd.get(), lines.data() + at, lines.size() - at);
      if (n <= 0) return base::Error{"AK0002", "cannot write " + file.string(), file.string(), "is the disk full?"};
      at += static_cast<size_t>(n);
    }
    if (!fd.valid() || ::fdatasync(fd.get()) != 0) return base::Error{"AK0002", "cannot write " + file.string(), file.string(), "is the disk full?"};
    s_["bytes"] = Count("bytes") + lines.size();
    return {};
  }

  base::Result<Json> Finish() {
    Json m = s_;
    m["schema"] = 1;
    m["stage"] = "synthetic";
    m["done"] = true;
    m["options"] = {{"count", o_.count}, {"seed", o_.seed}, {"alike", o_.alike}, {"chip", o_.chip}};
    m["judge"] = judge::HashOfJudge();
    m["chip"] = judge::HashOfChip(o_.chip);
    if (auto s = base::WriteFileAtomic(dir_ / "manifest.json", m.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"); !s.ok()) return s.error();
    return m;
  }

  const fs::path dir_;
  const SyntheticOptions& o_;
  Ledger ledger_;
  Json s_;
};
}  // namespace

base::Result<Json> BuildSynthetic(const fs::path& dir, const SyntheticOptions& options) {
  Json same{{"seed", options.seed}, {"alike", options.alike}, {"chip", options.chip}, {"together", options.together}};
  auto ledger = Ledger::Open(dir / "synthetic/ledger.db", same.dump());
  if (!ledger.ok()) return ledger.error();
  return Building(dir / "synthetic", options, std::move(*ledger)).Run();
}

}  // namespace akgen::corpus
