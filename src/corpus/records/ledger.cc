#include "corpus/records/ledger.h"

#include <sqlite3.h>

#include <cstring>

#include "store/statement.h"

namespace akgen::corpus {
using base::Json;
using store::Statement;

namespace {
constexpr const char* kTables = R"sql(
CREATE TABLE IF NOT EXISTS state(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keys(kind TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sketches(record INTEGER PRIMARY KEY, sketch TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS bands(band INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY(band, record)) WITHOUT ROWID;
)sql";

std::string_view Bytes(const Sketch& s) {
  return {reinterpret_cast<const char*>(s.data()), s.size() * sizeof s[0]};
}
}  // namespace

void Ledger::Close::operator()(sqlite3* db) const { ::sqlite3_close(db); }

bool Ledger::Run(const char* sql) {
  if (::sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return true;
  if (trouble_->empty()) *trouble_ = ::sqlite3_errmsg(db_.get());
  return false;
}

base::Result<Ledger> Ledger::Open(const std::filesystem::path& file, const std::string& options) {
  std::error_code ec;
  std::filesystem::create_directories(file.parent_path(), ec);
  sqlite3* db = nullptr;
  int rc = ::sqlite3_open(file.c_str(), &db);
  Ledger out(db);
  auto broken = [&] {
    const int code = db ? ::sqlite3_errcode(db) : rc;
    const bool damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    return base::Error{
        damaged ? "AK0801" : "AK0002",
        "cannot use " + file.string() + ": " + (db ? ::sqlite3_errmsg(db) : "no memory"),
        file.string(), "remove the folder, or name another one"};
  };
  if (rc != SQLITE_OK) return broken();
  ::sqlite3_busy_timeout(db, 2000);
  if (!out.Run("PRAGMA journal_mode=WAL") || !out.Run("PRAGMA synchronous=NORMAL") ||
      !out.Run("PRAGMA cache_size=-16000") || !out.Run(kTables))
    return broken();
  Statement read(db, "SELECT value FROM state WHERE name = 'options'");
  if (read.Step() == SQLITE_ROW) {
    if (read.Text(0) == options) return out;
    return base::Error{
        "AK0801", file.parent_path().string() + " was begun with other options: " + read.Text(0),
        file.string(), "name another folder, or give the same options"};
  }
  Statement write(db, "INSERT INTO state VALUES('options', ?)");
  if (write.Bind(std::string_view(options)).Step() != SQLITE_DONE) return broken();
  return out;
}

// SQLite keeps a database without a name in a file of its own and takes it away when it is closed.
base::Result<DistinctKeys> DistinctKeys::Create() {
  sqlite3* db = nullptr;
  int rc = ::sqlite3_open("", &db);
  Ledger out(db);
  if (rc == SQLITE_OK && out.Run("PRAGMA journal_mode=OFF") &&
      out.Run("PRAGMA cache_size=-16000") && out.Run(kTables) && out.Run("BEGIN"))
    return DistinctKeys(std::move(out));
  return base::Error{"AK0002", "cannot count in a temporary file: " + out.trouble(), "",
                     "is the disk full?"};
}

base::Status Ledger::Begin() {
  Run("BEGIN IMMEDIATE");
  if (!trouble_->empty())
    return base::Error{"AK0002", "the ledger cannot be written: " + *trouble_, "",
                       "is another run at work in this folder?"};
  return {};
}

base::Status Ledger::Commit(const Json& state) {
  {
    Statement s(db_.get(), "INSERT OR REPLACE INTO state VALUES('state', ?)");
    std::string text = base::Dump(state);
    if (s.Bind(std::string_view(text)).Step() != SQLITE_DONE && trouble_->empty())
      *trouble_ = ::sqlite3_errmsg(db_.get());
  }
  Run("COMMIT");
  if (!trouble_->empty())
    return base::Error{"AK0002", "the ledger cannot be written: " + *trouble_, "",
                       "is the disk full?"};
  return {};
}

Json Ledger::State() {
  Statement s(db_.get(), "SELECT value FROM state WHERE name = 'state'");
  return s.Step() == SQLITE_ROW ? base::Parse(s.Text(0)) : Json();
}

bool Ledger::AddKey(const std::string& kind, const std::string& key) {
  Statement s(db_.get(), "INSERT OR IGNORE INTO keys VALUES(?, ?)");
  if (s.Bind(std::string_view(kind)).Bind(std::string_view(key)).Step() != SQLITE_DONE &&
      trouble_->empty())
    *trouble_ = ::sqlite3_errmsg(db_.get());
  return ::sqlite3_changes(db_.get()) > 0;
}

int64_t Ledger::AddSketch(const Sketch& sketch, int64_t record, double threshold) {
  const auto bands = BandsOf(sketch);
  Statement find(db_.get(),
                 "SELECT s.record, s.sketch FROM bands b JOIN sketches s ON s.record = b.record "
                 "WHERE b.band = ? ORDER "
                 "BY s.record");
  for (int64_t band : bands) {
    find.Reset();
    find.Bind(band);
    while (find.Step() == SQLITE_ROW) {
      std::string bytes = find.Text(1);
      Sketch other;
      if (bytes.size() != sizeof other) continue;
      std::memcpy(other.data(), bytes.data(), sizeof other);
      if (Likeness(sketch, other) >= threshold) return find.Int(0);
    }
  }
  Statement keep(db_.get(), "INSERT INTO sketches VALUES(?, ?)");
  if (keep.Bind(record).Bind(Bytes(sketch)).Step() != SQLITE_DONE && trouble_->empty())
    *trouble_ = ::sqlite3_errmsg(db_.get());
  Statement put(db_.get(), "INSERT OR IGNORE INTO bands VALUES(?, ?)");
  for (int64_t band : bands) {
    put.Reset();
    put.Bind(band).Bind(record).Step();
  }
  return -1;
}

int64_t Ledger::CountKeys(const std::string& kind) {
  Statement s(db_.get(), "SELECT count(*) FROM keys WHERE kind = ?");
  return s.Bind(std::string_view(kind)).Step() == SQLITE_ROW ? s.Int(0) : 0;
}

}  // namespace akgen::corpus
