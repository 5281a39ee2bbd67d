// What stages share: records that are appended and cut back to the last whole batch, counts, a manifest.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "corpus/build/ledger.h"

namespace akgen::corpus {

class Stage {
 public:
  // Opens DIR with its ledger and takes back what a stopped run wrote after its last batch. AK0801, AK0002.
  static base::Result<Stage> Open(const std::filesystem::path& dir, const base::Json& options,
                                  const std::vector<const char*>& counts, const std::vector<const char*>& tables);

  uint64_t Count(const char* name) const { return state_[name].get<uint64_t>(); }
  void Add(const char* name, uint64_t n = 1) { state_[name] = Count(name) + n; }
  void Set(const char* name, uint64_t n) { state_[name] = n; }
  // One more in a table of reasons; numbers in them do not count, rare ones are joined.
  void Reason(const char* table, const std::string& why);
  base::Json& state() { return state_; }
  Ledger& ledger() { return ledger_; }
  base::Status Begin() { return ledger_.Begin(); }
  // Appends lines and keeps everything since Begin().
  base::Status Commit(const std::string& lines);
  // Writes manifest.json with the counts and `more`.
  base::Result<base::Json> Finish(const std::string& name, const base::Json& more);

 private:
  Stage(std::filesystem::path dir, Ledger ledger) : dir_(std::move(dir)), ledger_(std::move(ledger)) {}
  std::filesystem::path dir_;
  Ledger ledger_;
  base::Json state_;
};

}  // namespace akgen::corpus
