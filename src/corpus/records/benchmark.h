// What a corpus must not hold: the benchmark's own tasks.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "corpus/records/minhash.h"

namespace akgen::corpus {

struct Benchmark {
  std::map<std::string, std::string>
      graphs;  // canonical hash of a case's graph -> a task that has it
  std::map<std::string, std::string> texts;  // reference without names and numbers -> task
  std::map<std::string, std::vector<std::string>>
      hashes;  // task -> canonical hashes of its cases' graphs
  std::vector<std::string> tasks,
      without_graph;  // names; the latter are compared by their text alone
  std::vector<std::pair<std::string, Sketch>> sketches;
  // The task that is this graph or this reference, or "".
  std::string Match(const std::string& canonical, const std::string& reference) const;
};

// Of all tasks below HomeDir()/tasks, by every case. The reference process makes the graphs;
// `file`, and the cache, keep them, and are believed while the tasks are the same. AK0113: the
// graphs are not there and the reference process cannot be started.
base::Result<Benchmark> LoadBenchmark(const std::string& file,
                                      const std::function<void(size_t, size_t)>& progress);

}  // namespace akgen::corpus
