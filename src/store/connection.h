// An open SQLite file, and what its errors mean.
#pragma once
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/files.h"
#include "base/status.h"

namespace akgen::store {

// Errors as store.h lists them.
class Connection {
 public:
  explicit Connection(std::filesystem::path path) : path_(std::move(path)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { ::sqlite3_close(db_); }

  base::Status Open(int flags) { return Open(path_.string(), flags); }
  // SQLite makes files of its own beside a store that it reads. Where it may not, the store is read
  // as it lies there; one with a log that was never closed is read from a copy.
  base::Status OpenReadOnly();
  base::Status Execute(const char* sql);
  // The latest error of the database.
  base::Error Failure(const std::string& what) const;
  int code() const { return ::sqlite3_errcode(db_); }
  sqlite3* db() const { return db_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  base::Status Open(const std::string& file, int flags);
  std::filesystem::path path_;
  std::unique_ptr<base::TempDir> copy_;
  sqlite3* db_ = nullptr;
};

}  // namespace akgen::store
