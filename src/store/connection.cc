#include "store/connection.h"

#include <utility>

namespace akgen::store {
namespace fs = std::filesystem;
using base::Error;
using base::Status;

Error Connection::Failure(const std::string& what) const {
  int code = ::sqlite3_errcode(db_);
  std::string message = what + ": " + ::sqlite3_errmsg(db_);
  switch (code) {
    case SQLITE_FULL:
      return {"AK0502", message, path_.string(),
              "free disk space and start the same command again; what is stored is intact"};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {"AK0503", message, path_.string(),
              "this is not a store, or it was damaged; name another file"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {"AK0501", message, path_.string(), "wait for the other process"};
    case SQLITE_CONSTRAINT:
      return {"AK0505", message, path_.string(), "start the run in a new file"};
    default:
      return {"AK0504", message, path_.string(), "check the disk and the file's permissions"};
  }
}

Status Connection::Execute(const char* sql) {
  if (::sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Failure("the store refuses");
}

// What a path is as part of a URI.
static std::string Escaped(const std::string& path) {
  std::string out;
  for (char c : path)
    out += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  return out;
}

Status Connection::Open(const std::string& file, int flags) {
  ::sqlite3_close(std::exchange(db_, nullptr));
  if (::sqlite3_open_v2(file.c_str(), &db_, flags | SQLITE_OPEN_FULLMUTEX, nullptr) == SQLITE_OK)
    return {};
  return Failure("cannot open");
}

Status Connection::OpenReadOnly() {
  const fs::path log = path_.string() + "-wal";
  std::error_code ec;
  if (const auto bytes = fs::file_size(log, ec); ec || bytes == 0)
    return Open("file:" + Escaped(fs::absolute(path_).string()) + "?immutable=1",
                SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  auto folder = base::TempDir::Create();
  if (!folder.ok()) return folder.error();
  copy_ = std::make_unique<base::TempDir>(std::move(*folder));
  const fs::path copy = copy_->path() / "copy.db";
  if (!fs::copy_file(path_, copy, ec) || !fs::copy_file(log, copy.string() + "-wal", ec))
    return Error{"AK0504", "cannot be copied to be read: " + ec.message(), path_.string(),
                 "check its permissions"};
  return Open(copy.string(), SQLITE_OPEN_READONLY);
}

}  // namespace akgen::store
