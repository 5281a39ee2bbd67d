// The jobs that the server has promised to end, in an SQLite file: what was accepted is there
// before its caller is told, and what ended stays for a day. A process that is killed loses
// nothing; the next one resumes.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

struct sqlite3;

namespace akgen::serve {

class Journal {
 public:
  struct Entry {
    std::string id, principal, key;  // key: "" none
    std::string fingerprint;  // of what was asked for: the same key for other work is a conflict
    std::string submission;   // JSON
    std::string answer;       // JSON; "" while it is open
    int attempts = 0;         // times that judging it began and was not brought to an end
  };
  // AK0909: the file cannot be opened, is of something else, or another server has it. Empty path:
  // memory alone.
  static base::Result<std::unique_ptr<Journal>> Open(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // All of them: AK0909, and nothing has changed (a full disk, mostly).
  base::Status Accept(const Entry& entry);
  base::Status Begin(const std::string& id);
  base::Status GiveBack(const std::string& id);  // its attempt was not its fault
  // `frees_key`: the key may be used again, because nothing was judged.
  // An end that the disk does not take is kept here and written with a later one: it is told until
  // then, and after a kill that comes first the job is judged again.
  base::Status End(const std::string& id, const std::string& answer, bool frees_key);

  std::optional<Entry> ById(const std::string& id) const;
  std::optional<Entry> ByKey(const std::string& principal, const std::string& key) const;
  std::vector<Entry> Unended() const;              // in the order they were accepted
  void Prune(int64_t older_than_s, int64_t most);  // of those that ended

 private:
  explicit Journal(sqlite3* db) : db_(db) {}
  base::Status Run(const char* sql, const std::vector<std::string>& values);
  base::Status Write(const std::string& id, const std::string& answer, bool frees_key);
  void WriteLate();
  std::optional<Entry> First(std::vector<Entry> rows) const;
  std::vector<Entry> Read(const char* sql, const std::vector<std::string>& values) const;
  struct Unwritten {
    std::string answer;
    bool frees_key = false;
  };
  sqlite3* db_;
  std::map<std::string, Unwritten> unwritten_;  // by id
  mutable std::mutex mutex_;
};

}  // namespace akgen::serve
