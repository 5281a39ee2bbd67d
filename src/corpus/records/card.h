// The data card of a built corpus, counted from its records.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "corpus/records/benchmark.h"

namespace akgen::corpus {

struct Lengths {
  uint64_t sum = 0, most = 0;
  std::map<uint64_t, uint64_t> up_to;  // powers of two
  void Add(uint64_t n);
};

// Counts of records.
struct DataCard {
  using Histogram = std::map<std::string, uint64_t>;
  uint64_t records = 0, verified = 0, others = 0;  // others: of third-party kernels
  uint64_t distinct_graphs = 0, duplicates_removed = 0;
  uint64_t benchmark_overlap = 0,
           matches_removed = 0;  // tasks of the benchmark: in the corpus; kept out of it
  size_t benchmark_tasks = 0;
  std::vector<std::string> without_graph;  // of these tasks, those compared by their text alone
  Histogram kinds, splits, families, depth, operators, dtypes, classes, licenses, sources;
  std::map<std::string, Lengths> tokens;     // by part of a record
  base::Json stages = base::Json::object();  // their manifests, by folder
  size_t ByGraph() const { return benchmark_tasks - without_graph.size(); }
};
base::Json ToJson(const DataCard& card);

// Reads DIR/*/records.jsonl line by line and the stages' manifests, and writes DIR/card.json and
// DIR/card.md:
// {"schema", "records", "verified", "duplicates_removed", "distinct_graphs", "benchmark_overlap",
// "benchmark":
// {"tasks", "by_graph", "by_text",
//  "matches_removed"}, "kinds", "splits", "families", "depth", "operators", "dtypes", "classes",
//  "tokens": {part:
//  {"sum", "most", "up_to": {n: count}}}, "licenses", "sources", "others_kernels", "stages"}
// benchmark_overlap counts records of the corpus whose canonical graph or reference is that of a
// task; it is looked for again here, whatever a stage has removed. AK0801 no corpus; AK0002 files.
base::Result<DataCard> WriteCard(const std::filesystem::path& dir);
// The same against tasks that are loaded already. Memory does not grow with the records.
base::Result<DataCard> WriteCard(const std::filesystem::path& dir, const Benchmark& benchmark);

// Calls f with each record in order: of the synthetic stage, then of the others by name. AK0801: a
// line is no record.
base::Status EachRecord(const std::filesystem::path& dir,
                        const std::function<base::Status(const base::Json&)>& f);
// An estimate by words and signs, as no tokenizer is at hand.
size_t TokensOf(const std::string& text);

}  // namespace akgen::corpus
