#include "serve/journal.h"

#include <sqlite3.h>

#include "store/statement.h"

namespace akgen::serve {
using base::Error;
using base::Result;
using base::Status;
using store::Statement;

namespace {
constexpr const char* kTables = R"(
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS jobs(
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, principal TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL,
    submission TEXT NOT NULL, answer TEXT NOT NULL, attempts INTEGER NOT NULL, ended INTEGER NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS by_key ON jobs(principal, key) WHERE key <> '';
  CREATE INDEX IF NOT EXISTS by_end ON jobs(ended);
)";

// New, or with our table as its only one.
bool IsOurs(sqlite3* db) {
  Statement tables(db,
                   "SELECT count(*), sum(name = 'jobs') FROM sqlite_master WHERE type = 'table'");
  return tables.Step() != SQLITE_ROW || tables.Int(0) == tables.Int(1);
}

Error Trouble(sqlite3* db, const std::string& where) {
  return {"AK0909", std::string("the journal of jobs: ") + ::sqlite3_errmsg(db), where,
          "is there room on the disk, and does no other server have the file? --state names "
          "another one"};
}
}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::filesystem::path& file) {
  sqlite3* db = nullptr;
  const std::string name = file.empty() ? ":memory:" : file.string();
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  const int opened = ::sqlite3_open_v2(name.c_str(), &db, flags, nullptr);
  std::unique_ptr<Journal> journal(new Journal(db));
  if (opened == SQLITE_OK && !IsOurs(db))
    return Error{"AK0909", "this is a file of something else", name,
                 "name another one with --state"};
  if (opened != SQLITE_OK || ::sqlite3_exec(db, kTables, nullptr, nullptr, nullptr) != SQLITE_OK)
    return Trouble(db, name);
  return journal;
}

Journal::~Journal() { ::sqlite3_close(db_); }

Status Journal::Run(const char* sql, const std::vector<std::string>& values) {
  std::lock_guard lock(mutex_);
  Statement s(db_, sql);
  for (const std::string& v : values) s.Bind(v);
  return s.Step() == SQLITE_DONE ? Status() : Trouble(db_, "");
}

std::vector<Journal::Entry> Journal::Read(const char* sql,
                                          const std::vector<std::string>& values) const {
  std::lock_guard lock(mutex_);
  Statement s(db_, sql);
  for (const std::string& v : values) s.Bind(v);
  std::vector<Entry> out;
  while (s.Step() == SQLITE_ROW)
    out.push_back({s.Text(0), s.Text(1), s.Text(2), s.Text(3), s.Text(4), s.Text(5),
                   static_cast<int>(s.Int(6))});
  return out;
}

Status Journal::Accept(const Entry& e) {
  return Run(
      "INSERT INTO jobs(id, principal, key, fingerprint, submission, answer, attempts, ended) "
      "VALUES(?,?,?,?,?,'',0,0)",
      {e.id, e.principal, e.key, e.fingerprint, e.submission});
}

Status Journal::Begin(const std::string& id) {
  return Run("UPDATE jobs SET attempts = attempts + 1 WHERE id = ?", {id});
}

Status Journal::GiveBack(const std::string& id) {
  return Run("UPDATE jobs SET attempts = attempts - 1 WHERE id = ? AND attempts > 0", {id});
}

Status Journal::Write(const std::string& id, const std::string& answer, bool frees_key) {
  return Run(frees_key ? "UPDATE jobs SET answer = ?, key = '', ended = unixepoch() WHERE id = ?"
                       : "UPDATE jobs SET answer = ?, ended = unixepoch() WHERE id = ?",
             {answer, id});
}

Status Journal::End(const std::string& id, const std::string& answer, bool frees_key) {
  WriteLate();
  Status written = Write(id, answer, frees_key);
  if (written.ok()) return written;
  std::lock_guard lock(mutex_);
  unwritten_.insert_or_assign(id, Unwritten{answer, frees_key});
  return written;
}

void Journal::WriteLate() {
  std::unique_lock lock(mutex_);
  const auto late = unwritten_;
  lock.unlock();
  for (const auto& [id, end] : late) {
    if (!Write(id, end.answer, end.frees_key).ok()) return;
    lock.lock();
    unwritten_.erase(id);
    lock.unlock();
  }
}

// With the end that the disk has not taken yet.
std::optional<Journal::Entry> Journal::First(std::vector<Entry> rows) const {
  if (rows.empty()) return std::nullopt;
  std::lock_guard lock(mutex_);
  if (auto late = unwritten_.find(rows[0].id); late != unwritten_.end()) {
    rows[0].answer = late->second.answer;
    if (late->second.frees_key) rows[0].key.clear();
  }
  return std::move(rows[0]);
}

#define AKGEN_JOB_COLUMNS \
  "SELECT id, principal, key, fingerprint, submission, answer, attempts FROM jobs "

std::optional<Journal::Entry> Journal::ById(const std::string& id) const {
  return First(Read(AKGEN_JOB_COLUMNS "WHERE id = ?", {id}));
}

std::optional<Journal::Entry> Journal::ByKey(const std::string& principal,
                                             const std::string& key) const {
  auto first = First(
      Read(AKGEN_JOB_COLUMNS "WHERE principal = ? AND key = ? AND key <> ''", {principal, key}));
  return first && first->key.empty() ? std::nullopt : first;
}

std::vector<Journal::Entry> Journal::Unended() const {
  return Read(AKGEN_JOB_COLUMNS "WHERE ended = 0 ORDER BY number", {});
}

void Journal::Prune(int64_t older_than_s, int64_t most) {
  (void)Run("DELETE FROM jobs WHERE ended > 0 AND ended <= unixepoch() - CAST(? AS INTEGER)",
            {std::to_string(older_than_s)});
  (void)Run(
      "DELETE FROM jobs WHERE ended > 0 AND number NOT IN (SELECT number FROM jobs WHERE ended > 0 "
      "ORDER BY ended "
      "DESC, number DESC LIMIT CAST(? AS INTEGER))",
      {std::to_string(most)});
}

}  // namespace akgen::serve
