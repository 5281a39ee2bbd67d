// What stages share: records that are appended and cut back to the last whole batch, counts, a
// manifest.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "corpus/records/ledger.h"

namespace akgen::corpus {

// What a stage keeps in its ledger and writes to its manifest.
struct StageState {
  double seconds = 0;
  std::map<std::string, uint64_t> counts;  // "bytes" among them: of records.jsonl
  std::map<std::string, std::map<std::string, uint64_t>> tables;  // counts by reason, diagnostic, …
  std::optional<std::vector<size_t>> left;                        // questions that are asked again
};
// Members of counts and tables stand beside "seconds" and "left".
base::Json ToJson(const StageState& state);
StageState StageStateFromJson(const base::Json& state);

class Stage {
 public:
  // Opens DIR with its ledger and takes back what a stopped run wrote after its last batch. AK0801,
  // AK0002.
  static base::Result<Stage> Open(const std::filesystem::path& dir, const base::Json& options,
                                  const std::vector<const char*>& counts,
                                  const std::vector<const char*>& tables);

  uint64_t Count(const char* name) const { return state_.counts.at(name); }
  void Add(const char* name, uint64_t n = 1) { state_.counts.at(name) += n; }
  void Set(const char* name, uint64_t n) { state_.counts.at(name) = n; }
  // One more in a table of reasons; numbers in them do not count, rare ones are joined.
  void Reason(const char* table, const std::string& why);
  StageState& state() { return state_; }
  std::map<std::string, uint64_t>& Table(const char* name) { return state_.tables.at(name); }
  Ledger& ledger() { return ledger_; }
  base::Status Begin() { return ledger_.Begin(); }
  // Appends lines and keeps everything since Begin().
  base::Status Commit(const std::string& lines);
  // Writes manifest.json with the counts and `more`.
  base::Status Finish(const std::string& name, const base::Json& more);

 private:
  Stage(std::filesystem::path dir, Ledger ledger)
      : dir_(std::move(dir)), ledger_(std::move(ledger)) {}
  std::filesystem::path dir_;
  Ledger ledger_;
  StageState state_;
};

}  // namespace akgen::corpus
