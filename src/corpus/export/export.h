// Records and the formats that trainers read, all from the same tries.
#pragma once
#include "corpus/export/pairs.h"

namespace akgen::corpus {

struct Built {
  std::vector<const Try*> passes;
  std::vector<Repair> repairs;
  std::vector<Pair> pairs;
};
Built Build(const std::vector<Try>& tries, const PairOptions& options);

// Writes DIR/samples.jsonl and DIR/pairs.jsonl (our records, schema 1, docs/corpus.md) and
// DIR/<format>/… of each format:
//   all of formats.h, and verl/rl.jsonl {data_source, prompt, ability, reward_model, extra_info}
// and DIR/card.json: counts of tries by verdict, of records, of pairs by kind. Every file is
// written whole or not at all. AK0002.
base::Status Export(const Built& built, const std::vector<Try>& tries, const PairOptions& options,
                    const std::filesystem::path& dir);

}  // namespace akgen::corpus
