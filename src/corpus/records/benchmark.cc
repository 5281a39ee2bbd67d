#include "corpus/records/benchmark.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "corpus/compose/canonical.h"
#include "judge/plan_task.h"
#include "task/task.h"

namespace akgen::corpus {
using base::Json;

namespace {
constexpr size_t kMaxCases =
    12;  // of one task: cases differ in shapes, and rarely in what is computed
constexpr double kAlike = 0.8;

std::string Bare(const std::string& text) {
  std::string out;
  for (char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)) &&
        !std::isdigit(static_cast<unsigned char>(c)))
      out += c;
  return out;
}

// {task: [canonical hashes]}; an empty list where no case has a graph.
base::Result<Json> GraphsOfTasks(const std::vector<task::TaskInfo>& infos,
                                 const std::function<void(size_t, size_t)>& progress) {
  task::ReferenceClient reference;
  Json out = Json::object();
  for (size_t i = 0; i < infos.size(); ++i) {
    if (progress) progress(i, infos.size());
    auto t = task::LoadTaskFolder(infos[i].folder);
    if (!t.ok()) return t.error();
    std::set<std::string> hashes;
    for (size_t c = 0; c < t->cases.size() && c < kMaxCases; ++c) {
      auto one = task::ResolveCase(
          *t, t->cases[c * t->cases.size() / std::min(kMaxCases, t->cases.size())]);
      if (!one.ok()) return one.error();
      auto graph = judge::GraphOfCase(reference, *t, *one);
      if (graph.ok())
        hashes.insert(CanonicalHash(graph->graph));
      else if (graph.error().code == "AK0113")
        return graph.error();
      else
        break;
    }
    out[t->name] = hashes;
  }
  return out;
}
bool IsTexts(const Json& list) {
  return list.is_array() &&
         std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_string(); });
}
// What a file keeps for these tasks, null where it is of others, not there or damaged.
Json ReadGraphs(const std::filesystem::path& file, const std::string& hash) {
  auto text = base::ReadFile(file);
  Json kept = text.ok() ? base::Parse(*text) : Json();
  if (!kept.is_object() || kept.value("tasks_hash", Json()) != hash) return Json();
  const Json graphs = kept.value("graphs", Json());
  return graphs.is_object() && std::all_of(graphs.begin(), graphs.end(), IsTexts) ? kept : Json();
}
}  // namespace

std::string Benchmark::Match(const std::string& canonical, const std::string& reference) const {
  if (auto it = graphs.find(canonical); it != graphs.end()) return it->second;
  if (auto it = texts.find(Bare(reference)); it != texts.end()) return it->second;
  const Sketch mine = SketchOf(reference);
  for (const auto& [task, sketch] : sketches)
    if (Likeness(mine, sketch) >= kAlike) return task;
  return "";
}

base::Result<Benchmark> LoadBenchmark(const std::string& file,
                                      const std::function<void(size_t, size_t)>& progress) {
  std::vector<task::TaskInfo> infos = task::ListTasks();
  const std::string hash = base::HashOfFolder(base::HomeDir() / "tasks");
  // Each corpus keeps its own; the cache spares the next one the minute they take.
  const std::filesystem::path cached = base::CacheDir() / "benchmark_graphs.json";
  Json kept = ReadGraphs(file, hash), common = ReadGraphs(cached, hash);
  if (kept.is_null()) {
    kept = common;
    if (kept.is_null()) {
      auto graphs = GraphsOfTasks(infos, progress);
      if (!graphs.ok()) return graphs.error();
      kept = {{"schema", 1}, {"tasks_hash", hash}, {"graphs", *graphs}};
    }
    if (auto s = base::WriteFileAtomic(file, base::Dump(kept, 1) + "\n"); !s.ok()) return s.error();
  }
  // Without a cache all is as right, and slower.
  if (common.is_null() && file != cached)
    (void)base::WriteFileAtomic(cached, base::Dump(kept, 1) + "\n").ok();
  Benchmark out;
  for (const auto& info : infos) {
    out.tasks.push_back(info.name);
    const Json& hashes = kept["graphs"][info.name];
    if (hashes.empty()) out.without_graph.push_back(info.name);
    for (const auto& h : hashes)
      out.graphs.emplace(h.get<std::string>(), info.name), out.hashes[info.name].push_back(h);
    auto t = task::LoadTaskFolder(info.folder);
    if (!t.ok()) return t.error();
    out.texts.emplace(Bare(t->reference), info.name);
    out.sketches.push_back({info.name, SketchOf(t->reference)});
  }
  return out;
}

}  // namespace akgen::corpus
