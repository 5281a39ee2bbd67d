#include "corpus/records/benchmark.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/fields.h"
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

// Canonical hashes by task; none where no case has a graph.
using GraphHashes = std::map<std::string, std::vector<std::string>>;

// What a corpus, and the cache, keep of the tasks.
struct KeptGraphs {
  int schema = 1;
  std::string tasks_hash;  // of the folder of tasks
  GraphHashes graphs;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("schema", m.schema);
    io.Needed("tasks_hash", m.tasks_hash);
    io.Needed("graphs", m.graphs);
  }
};

base::Result<GraphHashes> GraphsOfTasks(const std::vector<task::TaskInfo>& infos,
                                        const std::function<void(size_t, size_t)>& progress) {
  task::ReferenceClient reference;
  GraphHashes out;
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
    out[t->name].assign(hashes.begin(), hashes.end());
  }
  return out;
}
// What a file keeps for these tasks, nothing where it is of others, not there or damaged.
std::optional<KeptGraphs> ReadGraphs(const std::filesystem::path& file, const std::string& hash) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return std::nullopt;
  auto kept = base::Checked(file.string(), [&] {
    return base::Result<KeptGraphs>(base::MessageFromJson<KeptGraphs>(base::Parse(*text)));
  });
  if (!kept.ok() || kept->tasks_hash != hash) return std::nullopt;
  return *kept;
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
  auto kept = ReadGraphs(file, hash);
  const auto common = ReadGraphs(cached, hash);
  if (!kept) {
    kept = common;
    if (!kept) {
      auto graphs = GraphsOfTasks(infos, progress);
      if (!graphs.ok()) return graphs.error();
      kept = KeptGraphs{1, hash, std::move(*graphs)};
    }
    if (auto s = base::WriteFileAtomic(file, base::Dump(Json(*kept), 1) + "\n"); !s.ok())
      return s.error();
  }
  // Without a cache all is as right, and slower.
  if (!common && file != cached)
    (void)base::WriteFileAtomic(cached, base::Dump(Json(*kept), 1) + "\n").ok();
  Benchmark out;
  for (const auto& info : infos) {
    out.tasks.push_back(info.name);
    const std::vector<std::string>& hashes = kept->graphs[info.name];
    if (hashes.empty()) out.without_graph.push_back(info.name);
    for (const std::string& h : hashes)
      out.graphs.emplace(h, info.name), out.hashes[info.name].push_back(h);
    auto t = task::LoadTaskFolder(info.folder);
    if (!t.ok()) return t.error();
    out.texts.emplace(Bare(t->reference), info.name);
    out.sketches.push_back({info.name, SketchOf(t->reference)});
  }
  return out;
}

}  // namespace akgen::corpus
