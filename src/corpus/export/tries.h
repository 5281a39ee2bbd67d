// Judged attempts: one answer to one task with its verdict, read from journals of `akgen generate`
// and from stores of `akgen bench run`. All of the corpus is made from these.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "generate/model.h"
#include "record/modelled.h"

namespace akgen::corpus {

struct Try {
  std::string task;
  std::vector<generate::Message> prompt;  // system and user
  std::string reasoning, answer;
  std::string
      verdict;  // of the judge, or of generation (docs/generate.md); a store's hidden part included
  bool sealed = false;  // record/verdict.h; what is not stands in no sample and no pair
  std::string reason,
      feedback;  // feedback: what its author was shown, empty for a pass and for stores
  record::Modelled modelled;  // sum over the cases
  int sample = 0, turn = 0;
  std::string source;                            // "journal FILE" or "store FILE"
  std::string generator;                         // direct, craft, plan; stores: "candidate"
  base::Json provenance = base::Json::object();  // hashes of candidate, task, judge, chip
};

// All turns that were judged or refused. AK0801 the file cannot be read or is neither.
base::Result<std::vector<Try>> TriesFromJournal(const std::filesystem::path& file);
// All candidates whose folders still hold what was judged; the prompt is that of `akgen generate
// --generator direct`, the answer its files. `changed` counts the others.
base::Result<std::vector<Try>> TriesFromStore(const std::filesystem::path& file, size_t& changed);
// Whether this is a store, by its first bytes.
bool IsStore(const std::filesystem::path& file);
// Whether this is a journal of `akgen generate`, by its first line.
bool IsJournal(const std::filesystem::path& file);
// Those of all files, each read by what it is.
base::Result<std::vector<Try>> TriesFrom(const std::vector<std::string>& files, size_t& changed);

}  // namespace akgen::corpus
