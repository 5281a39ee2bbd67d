// The progress of a stage: one SQLite file with counts, the length of the stage's output, and
// fingerprints of duplicates. One transaction per batch, so a killed stage resumes after its last
// complete batch; memory does not grow with the corpus.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "corpus/records/minhash.h"

struct sqlite3;

namespace akgen::corpus {

class Ledger {
 public:
  // Opens or makes it. AK0801: it was made with other options. AK0002 files.
  static base::Result<Ledger> Open(const std::filesystem::path& file, const std::string& options);
  Ledger(Ledger&&) = default;

  base::Status Begin();
  // Keeps `state` and everything since Begin().
  base::Status Commit(const base::Json& state);
  // As of the last commit; null for a new ledger.
  base::Json State();

  // Whether this exact key is new; it is kept.
  bool AddKey(const std::string& kind, const std::string& key);
  // The number of an earlier record at least this similar, or -1. Adds the sketch when there is
  // none.
  int64_t AddSketch(const Sketch& s, int64_t record, double threshold);
  int64_t CountKeys(const std::string& kind);
  const std::string& trouble() const { return *trouble_; }  // of SQLite, or ""

 private:
  friend class DistinctKeys;
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit Ledger(sqlite3* db) : db_(db), trouble_(std::make_unique<std::string>()) {}
  bool Run(const char* sql);
  std::unique_ptr<sqlite3, Close> db_;
  std::unique_ptr<std::string> trouble_;
};

// How many different keys there are, counted in a temporary file: memory does not grow with them.
class DistinctKeys {
 public:
  // AK0002: there is no place for a temporary file.
  static base::Result<DistinctKeys> Create();
  DistinctKeys(DistinctKeys&&) = default;
  void Add(const std::string& key) { ledger_.AddKey("", key); }
  uint64_t Count() { return static_cast<uint64_t>(ledger_.CountKeys("")); }
  const std::string& trouble() const { return ledger_.trouble(); }

 private:
  explicit DistinctKeys(Ledger ledger) : ledger_(std::move(ledger)) {}
  Ledger ledger_;
};

}  // namespace akgen::corpus
