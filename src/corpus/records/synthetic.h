// The synthetic part of a corpus: random compositions, planned, lowered, run on the simulated chip,
// with reasoning from the compiler's decisions. No teacher.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/status.h"
#include "chip/chip.h"

namespace akgen::corpus {

struct SyntheticOptions {
  uint64_t count = 1000, seed = 1;
  double dedup_threshold = 0.85;  // least similarity (MinHash) of near duplicates
  std::string chip{chip::kDefaultChip};
  size_t per_build = 48;  // compositions in one build
  uint64_t most_tries =
      0;  // compositions after which new records are too rare; 0: 20 for each record and 10,000
  int workers = 0;  // 0: one for each processor
  std::function<void(uint64_t done, uint64_t before, const std::string& what)> progress;
};

// Counts of a built part, as its manifest has them.
struct SyntheticBuilt {
  uint64_t records = 0, verified = 0, tried = 0, refused = 0, failed = 0;
  uint64_t duplicates_removed = 0, near_duplicates_removed = 0, benchmark_removed = 0;
  double seconds = 0;  // of all calls together
};

// Fills DIR/synthetic: records.jsonl (docs/corpus.md), ledger.db and manifest.json. Resumes an
// interrupted call, and does nothing when it was finished. The same seed gives the same records
// whatever the number of workers. A count that is larger than last time adds to what is there. The
// manifest:
// {"schema", "stage", "options", "done", "records", "verified", "tried", "refused", "failed",
// "duplicates_removed",
//  "near_duplicates_removed", "benchmark_removed", "distinct_graphs", "seconds", "judge", "chip",
//  "bytes", "refusals": {why: n}, "failures": {why: n}}
// AK0801 the folder holds another corpus; AK0803 nearly all compositions are duplicates; AK0002
// files; AK0013 helper processes; AK0113 the tasks' graphs.
base::Result<SyntheticBuilt> BuildSynthetic(const std::filesystem::path& dir,
                                            const SyntheticOptions& options);

}  // namespace akgen::corpus
