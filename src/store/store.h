// Runs and their verdicts in one SQLite file. Append-only: triggers refuse every change and every
// deletion, a second verdict for the same candidate and part is refused by a unique key.
// Crash-safe: each verdict is one transaction in write-ahead mode with full synchronisation, so
// that after kill -9 or a full disk the file holds every verdict that was reported as stored,
// whole, and nothing else.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::store {

class Connection;

inline constexpr int kSchema = 1;

// `id` is the content hash of `config`, which holds everything that decides verdicts: tasks, chip,
// rule, seeds, judge.
struct RunRow {
  std::string id, created;  // created: UTC, for people; nothing is ordered by it
  base::Json config;
};

struct TaskRow {
  std::string name, category, hash;
  int level = 0;
};

struct CandidateRow {
  std::string task, path, hash;  // hash: of every source file's name and content
  int sample = 0;
};

// One part ("public" or "hidden") of one candidate. Times in milliseconds of wall clock.
struct VerdictRow {
  std::string task, part, verdict, reason, key;
  int sample = 0;
  std::string task_hash, judge_hash, chip_hash, candidate_hash;
  uint64_t seed = 0;
  bool cached = false;      // taken from the verdict cache
  bool task_fault = false;  // no verdict: the task has a mistake (not stored)
  double build_ms = 0, run_ms = 0, reference_ms = 0, check_ms = 0, wall_ms = 0;
  std::string recorded;  // UTC, for people
  base::Json record;     // the judgement (judge/judge.h)
};

enum class Access { kRead, kAppend };

struct Options {
  uint64_t max_bytes = 0;        // refuse to grow beyond this; 0: no limit but the disk
  std::function<int64_t()> now;  // seconds since 1970; default: the system's clock
};

// All errors: AK0501 another process appends to the file, AK0502 disk full, AK0503 no store or of
// another version, AK0504 the file cannot be read or written, AK0505 the row contradicts one that
// is there.
class Store {
 public:
  // kAppend creates the file when it is missing and keeps a lock on PATH.lock until destruction;
  // any number of readers may read meanwhile, also on read-only file systems.
  static base::Result<Store> Open(const std::filesystem::path& path, Access access,
                                  const Options& options = {});
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  // Adding a row that is already there, word for word, does nothing.
  base::Status AddRun(const base::Json& config, std::string& id);
  base::Status AddTasks(const std::string& run, const std::vector<TaskRow>& tasks);
  base::Status AddCandidates(const std::string& run, const std::vector<CandidateRow>& candidates);
  // All rows or none.
  base::Status AddVerdicts(const std::string& run, const std::vector<VerdictRow>& verdicts);

  base::Result<std::vector<RunRow>> Runs() const;
  // In order of level, category, name.
  base::Result<std::vector<TaskRow>> Tasks(const std::string& run) const;
  base::Result<std::vector<CandidateRow>> Candidates(const std::string& run) const;
  // In order of task, sample, part. `with_records` false leaves `record` null, which is much
  // faster.
  base::Result<std::vector<VerdictRow>> Verdicts(const std::string& run,
                                                 bool with_records = true) const;

  // The same for statistics, reports and training data: a row whose record is not sealed
  // (record/verdict.h) has the verdict record::kUnsealed, and its own begins the reason. Without
  // rows that `keep`, where there is one, refuses as they stand in the store.
  using Keep = std::function<bool(const VerdictRow&)>;
  base::Result<std::vector<VerdictRow>> Evidence(const std::string& run,
                                                 const Keep& keep = {}) const;

  const std::filesystem::path& path() const;
  // Candidates' folders as the store keeps them: a relative one is meant from the store's folder,
  // whatever folder a command is run in, so that both can be moved together. Stores that kept them
  // as typed are read too.
  std::string Kept(const std::filesystem::path& folder) const;
  std::filesystem::path FolderOf(const CandidateRow& candidate) const;

 private:
  Store();
  base::Status Prepare(Access access, const Options& options);
  base::Status CreateSchema();
  std::string Now() const;

  base::Fd lock_;
  std::unique_ptr<Connection> file_;  // closed before the lock goes
  std::function<int64_t()> now_;
};

}  // namespace akgen::store
