#include "corpus/records/task_records.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "corpus/compose/canonical.h"
#include "corpus/records/benchmark.h"
#include "corpus/records/record.h"
#include "craft/craft.h"
#include "craft/emit/emit.h"
#include "craft/plan/operations_text.h"
#include "judge/judge.h"
#include "judge/plan_task.h"
#include "task/hidden.h"
#include "task/task.h"

namespace akgen::corpus {
namespace fs = std::filesystem;
using base::Json;

namespace {
constexpr uint64_t kInputsSeed = 1;  // the same records every time: rules know no values
constexpr int kHiddenCases = 4;

int64_t ElementsOf(const task::TaskSpec& t, const task::CaseRow& row) {
  int64_t n = 0;
  auto c = task::ResolveCase(t, row);
  if (!c.ok()) return INT64_MAX;
  for (const auto* all : {&c->inputs, &c->outputs})
    for (const auto& p : *all)
      for (const auto& tensor : p.tensors) n += tensor.Numel();
  return n;
}

class BuildingTaskRecords {
 public:
  BuildingTaskRecords(const TaskRecordOptions& o, const craft::Target& target, judge::Judge judge,
                      const Benchmark& benchmark)
      : o_(o),
        target_(target),
        judge_(std::move(judge)),
        held_(o.heldout.begin(), o.heldout.end()) {
    for (const std::string& name : held_)
      if (auto it = benchmark.hashes.find(name); it != benchmark.hashes.end())
        graphs_.insert(it->second.begin(), it->second.end());
  }

  // Adds a line, or a reason why there is none.
  base::Status Take(const task::TaskSpec& t) {
    if (held_.count(t.name)) return Skip(&TaskRecordsBuilt::heldout, t, "held out");
    auto given = judge::GraphsOfTask(judge_.reference(), t);
    if (!given.ok())
      return given.error().code == "AK0113"
                 ? base::Status(given.error())
                 : Skip(&TaskRecordsBuilt::refused, t, given.error().message);
    Json operators = Json::array();
    std::set<std::string> hashes;
    for (const auto& c : given->cases) hashes.insert(CanonicalHash(c.graph));
    for (const std::string& h : hashes)
      if (graphs_.count(h))
        return Skip(&TaskRecordsBuilt::like_heldout, t, "computes what a held-out task computes");
    for (const record::GraphNode& n : given->cases[0].graph.nodes) operators.push_back(n.op);
    auto program = craft::Plan(*given, target_);
    if (!program.ok())
      return Skip(&TaskRecordsBuilt::refused, t, craft::ToError(program.error()).message);
    craft::Compiled compiled = craft::Compile(judge::WithNames(t, *program), target_);
    if (!compiled.diagnostics.empty())
      return Skip(&TaskRecordsBuilt::refused, t, compiled.diagnostics.list()[0].message);
    Json files = Json::object();
    auto folder = base::TempDir::Create();
    if (!folder.ok()) return folder.error();
    for (const auto& [path, text] : craft::EmitProject(compiled.lowered)) {
      files[path] = text;
      std::error_code ec;
      fs::create_directories((folder->path() / path).parent_path(), ec);
      if (auto s = base::WriteFileAtomic(folder->path() / path, text); !s.ok()) return s;
    }
    judge::Options options;
    options.rows = SmallestCases(t, o_.cases);
    options.range = false;  // a record needs the task's cases
    options.chip = o_.chip;
    options.seed = kInputsSeed;
    judge::Judgement j = judge_.Run(folder->path().string(), t, options);
    if (j.verdict != record::Verdict::kPass) return Skip(&TaskRecordsBuilt::failed, t, j.reason);
    auto hidden =
        task::HiddenCases(t, kInputsSeed, kHiddenCases, "hidden", judge_.reference(), false);
    if (!hidden.ok()) return hidden.error();
    judge::Options more = options;
    more.rows = std::move(*hidden);
    if (judge::Judgement h = judge_.Run(folder->path().string(), t, more);
        h.verdict != record::Verdict::kPass)
      return Skip(&TaskRecordsBuilt::failed, t, "hidden cases: " + h.reason);
    Json r{{"schema", 1},
           {"kind", "task"},
           {"name", t.name},
           {"graph", *hashes.begin()},
           {"family", t.category},
           {"split", "train"},
           {"operators", operators},
           {"reference", t.reference},
           {"operations", craft::OperationsText(*given)},
           {"program", *program},
           {"files", files},
           {"license", kLicense},
           {"source", "a task of akgen, planned by rules"},
           {"others_kernel", false}};
    r["verification"] = {{"verdict", "pass"},
                         {"checks", "all"},
                         {"findings", 0},
                         {"cases", options.rows.size()},
                         {"provenance", record::ToJson(j.provenance)}};
    r["id"] = base::ContentHash(*program + base::Dump(files));
    lines_ += base::Dump(r) + "\n";
    ++built_.records;
    return {};
  }

  base::Result<TaskRecordsBuilt> Write(const fs::path& dir) {
    std::error_code ec;
    fs::create_directories(dir, ec);
    if (auto s = base::WriteFileAtomic(dir / "records.jsonl", lines_); !s.ok()) return s.error();
    const std::string manifest = base::Dump(ToJson(built_), 1) + "\n";
    if (auto s = base::WriteFileAtomic(dir / "manifest.json", manifest); !s.ok()) return s.error();
    return built_;
  }

 private:
  base::Status Skip(int TaskRecordsBuilt::* kind, const task::TaskSpec& t, const std::string& why) {
    ++(built_.*kind);
    built_.skipped[t.name] = why;
    return {};
  }

  const TaskRecordOptions& o_;
  const craft::Target target_;
  judge::Judge judge_;
  std::set<std::string> held_, graphs_;
  std::string lines_;
  TaskRecordsBuilt built_;
};
}  // namespace

std::vector<task::CaseRow> SmallestCases(const task::TaskSpec& t, size_t count) {
  std::vector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < t.cases.size(); ++i) order.emplace_back(ElementsOf(t, t.cases[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<task::CaseRow> out;
  for (size_t i = 0; i < std::min(count, order.size()); ++i)
    out.push_back(t.cases[order[i].second]);
  return out;
}

// {"tasks": {category: [names]}}.
static std::vector<std::string> HeldoutFromJson(const Json& j) {
  std::vector<std::string> out;
  if (j.is_object() && j.contains("tasks") && j["tasks"].is_object())
    for (const Json& names : j["tasks"])
      for (const Json& name : names)
        if (name.is_string()) out.push_back(name);
  return out;
}

base::Result<std::vector<std::string>> ReadHeldout(const fs::path& file) {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  const std::vector<std::string> out = HeldoutFromJson(base::Parse(*text));
  if (out.empty())
    return base::Error{"AK0801", file.string() + " names no tasks", file.string(),
                       "write {\"tasks\": {\"Norm\": [\"RmsNorm\"]}}"};
  return out;
}

Json ToJson(const TaskRecordsBuilt& b) {
  return {{"schema", 1},          {"stage", "tasks"},     {"done", true},
          {"records", b.records}, {"heldout", b.heldout}, {"like_heldout", b.like_heldout},
          {"refused", b.refused}, {"failed", b.failed},   {"skipped", b.skipped}};
}

base::Result<TaskRecordsBuilt> BuildTaskRecords(const fs::path& out,
                                                const TaskRecordOptions& options) {
  std::error_code ec;
  fs::create_directories(out, ec);
  auto benchmark = LoadBenchmark(out / "benchmark_graphs.json", [&](size_t done, size_t all) {
    if (options.progress) options.progress(done, all, "reading the tasks");
  });
  if (!benchmark.ok()) return benchmark.error();
  auto judge = judge::Judge::Start();
  if (!judge.ok()) return judge.error();
  auto target = craft::LoadTarget(options.chip);
  if (!target.ok()) return target.error();
  BuildingTaskRecords building(options, *target, std::move(*judge), *benchmark);
  auto infos = task::ListTasks();
  for (size_t i = 0; i < infos.size(); ++i) {
    if (options.progress) options.progress(i, infos.size(), infos[i].name);
    auto t = task::LoadTaskFolder(infos[i].folder);
    if (!t.ok()) return t.error();
    if (auto s = building.Take(*t); !s.ok()) return s.error();
  }
  return building.Write(out / "tasks");
}

}  // namespace akgen::corpus
