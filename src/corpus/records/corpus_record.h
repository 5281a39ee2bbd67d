// A record of a built corpus, as the card counts it and exports read it. What a stage writes
// besides stays in its JSON.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::corpus {

struct CorpusFinding {
  std::string code, message;
  int line = 0;
};

struct CorpusRecord {
  std::string id, kind, name, source, split, family, license, task, reference;
  bool others_kernel = false;  // comes from a third-party kernel
  std::string verdict;         // of its verification; empty: it has none
  std::optional<std::string> program, operations, graph, klass, dtype;
  std::optional<int> depth;
  std::vector<std::string> operators;
  std::optional<std::map<std::string, std::string>> files, reasoning;  // by path; by part
  std::string answer;                                                  // of a teacher
  struct Failure {                                                     // of a repair
    std::string kernel, failing, diagnosis, verdict, reason;
    std::vector<CorpusFinding> findings;
  };
  Failure failure;
  std::string Reasoning(const char* part) const;  // "" where there is none
};
// Whether a line of a corpus is a record, of the version that this program reads.
bool IsCorpusRecord(const base::Json& line);
// Throws base::Json::exception.
CorpusRecord CorpusRecordFromJson(const base::Json& record);

}  // namespace akgen::corpus
