// The data card of a built corpus, counted from its records.
#pragma once
#include <filesystem>
#include <functional>

#include "base/json.h"
#include "base/status.h"
#include "corpus/build/benchmark.h"

namespace akgen::corpus {

// Reads DIR/*/records.jsonl line by line and the stages' manifests, and writes DIR/card.json and DIR/card.md:
// {"schema", "records", "verified", "duplicates_removed", "distinct_graphs", "benchmark_overlap", "benchmark":
// {"tasks", "by_graph", "by_text",
//  "matches_removed"}, "kinds", "splits", "families", "depth", "operators", "dtypes", "classes", "tokens": {part:
//  {"sum", "most", "up_to": {n: count}}}, "licenses", "sources", "others_kernels", "stages"}
// benchmark_overlap counts records of the corpus whose canonical graph or reference is that of a task; it is looked for
// again here, whatever a stage has removed. AK0801 no corpus; AK0002 files.
base::Result<base::Json> WriteCard(const std::filesystem::path& dir);
// The same against tasks that are loaded already. Memory does not grow with the records.
base::Result<base::Json> WriteCard(const std::filesystem::path& dir, const Benchmark& benchmark);

// Calls f with each record in order: of the synthetic stage, then of the others by name. AK0801: a line is no record.
base::Status EachRecord(const std::filesystem::path& dir, const std::function<base::Status(const base::Json&)>& f);
// An estimate by words and signs, as no tokenizer is at hand.
size_t TokensOf(const std::string& text);

}  // namespace akgen::corpus
