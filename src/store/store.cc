#include "store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "record/verdict.h"
#include "store/connection.h"
#include "store/statement.h"

namespace akgen::store {
namespace fs = std::filesystem;
namespace {
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr int kApplicationId = 0x414b474e;  // "AKGN" in the file's header
constexpr int kPageBytes = 4096;

// Appending is all that the schema allows; see the triggers at its end.
constexpr const char* kTables = R"sql(
CREATE TABLE runs(id TEXT PRIMARY KEY, created TEXT NOT NULL, config TEXT NOT NULL);
CREATE TABLE tasks(run TEXT NOT NULL REFERENCES runs(id), name TEXT NOT NULL, level INTEGER NOT NULL,
  category TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY(run, name));
CREATE TABLE candidates(run TEXT NOT NULL, task TEXT NOT NULL, sample INTEGER NOT NULL, path TEXT NOT NULL,
  hash TEXT NOT NULL, PRIMARY KEY(run, task, sample), FOREIGN KEY(run, task) REFERENCES tasks(run, name));
CREATE TABLE verdicts(id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, task TEXT NOT NULL,
  sample INTEGER NOT NULL, part TEXT NOT NULL CHECK(part IN ('public', 'hidden')), verdict TEXT NOT NULL,
  reason TEXT NOT NULL, key TEXT NOT NULL, task_hash TEXT NOT NULL, judge_hash TEXT NOT NULL,
  chip_hash TEXT NOT NULL, candidate_hash TEXT NOT NULL, seed INTEGER NOT NULL, cached INTEGER NOT NULL,
  build_ms REAL NOT NULL, run_ms REAL NOT NULL, reference_ms REAL NOT NULL, check_ms REAL NOT NULL,
  wall_ms REAL NOT NULL, recorded TEXT NOT NULL, record TEXT NOT NULL,
  UNIQUE(run, task, sample, part), FOREIGN KEY(run, task, sample) REFERENCES candidates(run, task, sample));
)sql";

std::string Triggers() {
  std::string sql;
  for (const char* table : {"runs", "tasks", "candidates", "verdicts"})
    for (const char* what : {"UPDATE", "DELETE"})
      sql += std::string("CREATE TRIGGER ") + table + "_no_" + what + " BEFORE " + what + " ON " +
             table + " BEGIN SELECT RAISE(ABORT, 'the store is append-only'); END;";
  return sql;
}

Json ParseOr(const std::string& text) {
  Json j = base::Parse(text);
  return j.is_discarded() ? Json() : j;
}

Result<base::Fd> Lock(const fs::path& path) {
  fs::path name = path.string() + ".lock";
  base::Fd fd(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid())
    return Error{"AK0504", std::string("cannot write beside the store: ") + std::strerror(errno),
                 name.string(), "choose a folder that exists and that you may write to"};
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  return Error{"AK0501", "another process appends to this store", path.string(),
               "wait for it, or give this run another --out file"};
}
}  // namespace

std::string Store::Kept(const fs::path& folder) const {
  if (folder.is_absolute()) return folder.string();
  std::error_code ec;
  const fs::path here = fs::canonical(".", ec),
                 home = fs::canonical(fs::absolute(path(), ec).parent_path(), ec);
  return ec ? folder.string()
            : (here / folder).lexically_normal().lexically_relative(home).string();
}

fs::path Store::FolderOf(const CandidateRow& candidate) const {
  std::error_code ec;
  const fs::path kept = candidate.path, beside = fs::absolute(path(), ec).parent_path() / kept;
  return kept.is_absolute() || !fs::is_directory(beside, ec) ? kept : beside.lexically_normal();
}

std::string Store::Now() const {
  std::time_t t = now_ ? std::time_t(now_()) : std::time(nullptr);
  std::tm tm{};
  ::gmtime_r(&t, &tm);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
  return text;
}

Status Store::CreateSchema() {
  std::string sql = "BEGIN IMMEDIATE;" + std::string(kTables) + Triggers() +
                    "PRAGMA application_id=" + std::to_string(kApplicationId) +
                    ";PRAGMA user_version=" + std::to_string(kSchema) + ";COMMIT;";
  Status s = file_->Execute(sql.c_str());
  if (!s.ok()) ::sqlite3_exec(file_->db(), "ROLLBACK", nullptr, nullptr, nullptr);
  return s;
}

Status Store::Prepare(Access access, const Options& options) {
  ::sqlite3_busy_timeout(file_->db(), 10000);
  int64_t id, version, tables;
  {
    Statement s(
        file_->db(),
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM "
        "pragma_user_version), (SELECT count(*) FROM sqlite_master)");
    if (s.Step() != SQLITE_ROW) return file_->Failure("cannot read");
    id = s.Int(0), version = s.Int(1), tables = s.Int(2);
  }
  bool fresh = tables == 0 && id == 0;
  if (!fresh && (id != kApplicationId || version != kSchema))
    return Error{"AK0503",
                 id != kApplicationId ? "this SQLite file is not a store of akgen"
                                      : "the store has schema " + std::to_string(version) +
                                            ", this akgen reads schema " + std::to_string(kSchema),
                 path().string(), "name another file"};
  if (access == Access::kRead)
    return fresh ? Status(Error{"AK0503", "the file holds no runs", path().string(),
                                "name a file that `akgen bench run --out` wrote"})
                 : Status();
  if (Status s = file_->Execute(
          "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;");
      !s.ok())
    return s;
  if (options.max_bytes)
    if (Status s = file_->Execute(
            ("PRAGMA max_page_count=" + std::to_string(options.max_bytes / kPageBytes)).c_str());
        !s.ok())
      return s;
  return fresh ? CreateSchema() : Status();
}

Result<Store> Store::Open(const fs::path& path, Access access, const Options& options) {
  Store store;
  store.file_ = std::make_unique<Connection>(path);
  store.now_ = options.now;
  std::error_code ec;
  if (fs::exists(path, ec) && !fs::is_regular_file(path, ec))
    return Error{"AK0503", "this is not a file", path.string(), "name another one"};
  if (access == Access::kAppend) {
    auto lock = Lock(path);
    if (!lock.ok()) return lock.error();
    store.lock_ = std::move(*lock);
  } else if (!fs::exists(path, ec)) {
    return Error{"AK0503", "no such file", path.string(),
                 "name a file that `akgen bench run --out` wrote"};
  }
  int flags =
      access == Access::kAppend ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  Status s = store.file_->Open(flags);
  if (s.ok()) s = store.Prepare(access, options);
  const int code = s.ok() ? SQLITE_OK : store.file_->code();
  if (access == Access::kRead && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)) {
    s = store.file_->OpenReadOnly();
    if (s.ok()) s = store.Prepare(access, options);
  }
  if (!s.ok()) return s.error();
  return store;
}

Store::Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const fs::path& Store::path() const { return file_->path(); }

Status Store::AddRun(const Json& config, std::string& id) {
  std::string text = base::Dump(config);
  id = base::ContentHash(text);
  Statement s(file_->db(), "INSERT OR IGNORE INTO runs VALUES(?,?,?)");
  if (s.Bind(id).Bind(Now()).Bind(text).Step() != SQLITE_DONE)
    return file_->Failure("the run cannot be stored");
  return {};
}

namespace {
// A group of insertions that happens as a whole or not at all.
class Transaction {
 public:
  explicit Transaction(sqlite3* db)
      : db_(db),
        open_(::sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK) {}
  ~Transaction() {
    if (open_) ::sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  bool open() const { return open_; }
  bool Commit() {
    if (::sqlite3_exec(db_, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) return false;
    open_ = false;
    return true;
  }

 private:
  sqlite3* db_;
  bool open_;
};
}  // namespace

Status Store::AddTasks(const std::string& run, const std::vector<TaskRow>& tasks) {
  Transaction t(file_->db());
  if (!t.open()) return file_->Failure("the tasks cannot be stored");
  Statement find(file_->db(), "SELECT hash FROM tasks WHERE run=? AND name=?");
  Statement add(file_->db(), "INSERT INTO tasks VALUES(?,?,?,?,?)");
  for (const TaskRow& row : tasks) {
    find.Reset(), add.Reset();
    if (find.Bind(run).Bind(row.name).Step() == SQLITE_ROW) {
      if (find.Text(0) == row.hash) continue;
      return Error{"AK0505", "the task " + row.name + " has changed since this run began",
                   path().string(), "start the run in a new file"};
    }
    if (add.Bind(run)
            .Bind(row.name)
            .Bind(int64_t(row.level))
            .Bind(row.category)
            .Bind(row.hash)
            .Step() != SQLITE_DONE)
      return file_->Failure("the task " + row.name + " cannot be stored");
  }
  find.Reset();
  return t.Commit() ? Status() : file_->Failure("the tasks cannot be stored");
}

Status Store::AddCandidates(const std::string& run, const std::vector<CandidateRow>& candidates) {
  Transaction t(file_->db());
  if (!t.open()) return file_->Failure("the candidates cannot be stored");
  Statement find(file_->db(), "SELECT hash FROM candidates WHERE run=? AND task=? AND sample=?");
  Statement add(file_->db(), "INSERT INTO candidates VALUES(?,?,?,?,?)");
  for (const CandidateRow& row : candidates) {
    find.Reset(), add.Reset();
    std::string name = row.task + " sample " + std::to_string(row.sample);
    if (find.Bind(run).Bind(row.task).Bind(int64_t(row.sample)).Step() == SQLITE_ROW) {
      if (find.Text(0) == row.hash) continue;
      return Error{"AK0505", "the candidate " + name + " has changed since this run began",
                   row.path, "start the run in a new file"};
    }
    if (add.Bind(run)
            .Bind(row.task)
            .Bind(int64_t(row.sample))
            .Bind(row.path)
            .Bind(row.hash)
            .Step() != SQLITE_DONE)
      return file_->Failure("the candidate " + name + " cannot be stored");
  }
  find.Reset();
  return t.Commit() ? Status() : file_->Failure("the candidates cannot be stored");
}

Status Store::AddVerdicts(const std::string& run, const std::vector<VerdictRow>& verdicts) {
  Transaction t(file_->db());
  if (!t.open()) return file_->Failure("the verdicts cannot be stored");
  Statement add(file_->db(),
                "INSERT INTO "
                "verdicts(run,task,sample,part,verdict,reason,key,task_hash,judge_hash,chip_hash,"
                "candidate_hash,seed,"
                "cached,build_ms,run_ms,reference_ms,check_ms,wall_ms,recorded,record) "
                "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const VerdictRow& v : verdicts) {
    add.Reset();
    add.Bind(run)
        .Bind(v.task)
        .Bind(int64_t(v.sample))
        .Bind(v.part)
        .Bind(v.verdict)
        .Bind(v.reason)
        .Bind(v.key);
    add.Bind(v.task_hash)
        .Bind(v.judge_hash)
        .Bind(v.chip_hash)
        .Bind(v.candidate_hash)
        .Bind(int64_t(v.seed))
        .Bind(int64_t(v.cached));
    add.Bind(v.build_ms).Bind(v.run_ms).Bind(v.reference_ms).Bind(v.check_ms).Bind(v.wall_ms);
    add.Bind(v.recorded.empty() ? Now() : v.recorded).Bind(base::Dump(v.record));
    if (add.Step() != SQLITE_DONE)
      return file_->Failure("the verdict on " + v.task + " sample " + std::to_string(v.sample) +
                            " cannot be stored");
  }
  add.Reset();
  return t.Commit() ? Status() : file_->Failure("the verdicts cannot be stored");
}

Result<std::vector<RunRow>> Store::Runs() const {
  std::vector<RunRow> out;
  Statement s(file_->db(), "SELECT id, created, config FROM runs ORDER BY rowid");
  int rc;
  while ((rc = s.Step()) == SQLITE_ROW) out.push_back({s.Text(0), s.Text(1), ParseOr(s.Text(2))});
  if (rc != SQLITE_DONE) return file_->Failure("cannot read");
  return out;
}

Result<std::vector<TaskRow>> Store::Tasks(const std::string& run) const {
  std::vector<TaskRow> out;
  Statement s(
      file_->db(),
      "SELECT name, category, hash, level FROM tasks WHERE run=? ORDER BY level, category, name");
  s.Bind(run);
  int rc;
  while ((rc = s.Step()) == SQLITE_ROW)
    out.push_back({s.Text(0), s.Text(1), s.Text(2), int(s.Int(3))});
  if (rc != SQLITE_DONE) return file_->Failure("cannot read");
  return out;
}

Result<std::vector<CandidateRow>> Store::Candidates(const std::string& run) const {
  std::vector<CandidateRow> out;
  Statement s(file_->db(),
              "SELECT task, path, hash, sample FROM candidates WHERE run=? ORDER BY task, sample");
  s.Bind(run);
  int rc;
  while ((rc = s.Step()) == SQLITE_ROW)
    out.push_back({s.Text(0), s.Text(1), s.Text(2), int(s.Int(3))});
  if (rc != SQLITE_DONE) return file_->Failure("cannot read");
  return out;
}

Result<std::vector<VerdictRow>> Store::Verdicts(const std::string& run, bool with_records) const {
  std::vector<VerdictRow> out;
  Statement s(file_->db(), with_records
                               ? "SELECT "
                                 "task,part,verdict,reason,key,sample,task_hash,judge_hash,chip_"
                                 "hash,candidate_hash,seed,cached,build_ms,"
                                 "run_ms,reference_ms,check_ms,wall_ms,recorded,record FROM "
                                 "verdicts WHERE run=? ORDER BY task, sample, "
                                 "part DESC"
                               : "SELECT "
                                 "task,part,verdict,reason,key,sample,task_hash,judge_hash,chip_"
                                 "hash,candidate_hash,seed,cached,build_ms,"
                                 "run_ms,reference_ms,check_ms,wall_ms,recorded,'null' FROM "
                                 "verdicts WHERE run=? ORDER BY task, sample, "
                                 "part DESC");
  s.Bind(run);
  int rc;
  while ((rc = s.Step()) == SQLITE_ROW) {
    VerdictRow v;
    v.task = s.Text(0), v.part = s.Text(1), v.verdict = s.Text(2), v.reason = s.Text(3),
    v.key = s.Text(4), v.sample = int(s.Int(5));
    v.task_hash = s.Text(6), v.judge_hash = s.Text(7), v.chip_hash = s.Text(8),
    v.candidate_hash = s.Text(9);
    v.seed = uint64_t(s.Int(10)), v.cached = s.Int(11) != 0;
    v.build_ms = s.Real(12), v.run_ms = s.Real(13), v.reference_ms = s.Real(14),
    v.check_ms = s.Real(15), v.wall_ms = s.Real(16);
    v.recorded = s.Text(17), v.record = ParseOr(s.Text(18));
    out.push_back(std::move(v));
  }
  if (rc != SQLITE_DONE) return file_->Failure("cannot read");
  return out;
}

Result<std::vector<VerdictRow>> Store::Evidence(const std::string& run, const Keep& keep) const {
  auto rows = Verdicts(run);
  if (!rows.ok()) return rows;
  if (keep) std::erase_if(*rows, [&](const VerdictRow& v) { return !keep(v); });
  for (VerdictRow& v : *rows) {
    if (record::Sealed(v.record)) continue;
    v.reason = v.verdict + (v.reason.empty() ? "" : ": " + v.reason);
    v.verdict = record::kUnsealed;
  }
  return rows;
}

}  // namespace akgen::store
