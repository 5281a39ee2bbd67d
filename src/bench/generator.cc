#include "bench/generator.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "bench/metrics.h"
#include "craft/craft.h"
#include "craft/emit/emit.h"
#include "judge/plan_task.h"
#include "record/judgement.h"

namespace akgen::bench {
namespace fs = std::filesystem;
using base::Json;
using base::Result;
using base::Status;

namespace {
// The reason why there is no project, or nothing.
Result<std::string> Generate(task::ReferenceClient& reference, const Unit& unit,
                             const craft::Target& target, const fs::path& dir) {
  auto spec = task::LoadTaskFolder(unit.task.folder);
  if (!spec.ok()) return spec.error();
  auto program = judge::PlanTask(reference, *spec, target);
  if (!program.ok()) return program.error().error.message;
  craft::Compiled compiled = craft::Compile(*program, target);
  if (!compiled.diagnostics.empty())
    return "the program is refused: " + compiled.diagnostics.Render("program.py", *program);
  craft::Files files = craft::EmitProject(compiled.lowered);
  files["program.py"] = *program;
  for (const auto& [path, content] : files) {
    std::error_code ec;
    fs::create_directories((dir / path).parent_path(), ec);
    if (Status s = base::WriteFileAtomic(dir / path, content); !s.ok()) return s.error();
  }
  return std::string();
}

bool HasFinding(const store::VerdictRow& v) {
  if (v.verdict == "finding") return true;
  const auto cases = record::CasesFromJson(v.record);
  return cases.ok() && std::any_of(cases->begin(), cases->end(),
                                   [](const auto& c) { return !c.findings.empty(); });
}
}  // namespace

Result<std::vector<Generated>> GenerateByPlan(
    const std::vector<Unit>& units, const fs::path& dir, const craft::Target& target,
    const std::function<void(size_t, const std::string&)>& progress) {
  task::ReferenceClient reference;
  std::vector<Generated> out;
  for (const Unit& unit : units) {
    if (progress) progress(out.size(), unit.name);
    std::error_code ec;
    fs::remove_all(dir / unit.name, ec);
    auto reason = Generate(reference, unit, target, dir / unit.name / "sample0");
    if (!reason.ok()) return reason.error();
    out.push_back({unit.name, *reason});
  }
  return out;
}

Result<GeneratorReport> ReportOf(const std::vector<Generated>& made, const store::Store& store,
                                 const std::string& run) {
  GeneratorReport out;
  out.tasks = made.size();
  for (const Generated& g : made) {
    if (g.emitted())
      ++out.emitted;
    else
      out.refused[g.task] = g.reason;
  }
  std::set<std::string> findings;
  auto runs = store.Runs();
  if (!runs.ok()) return runs.error();
  for (const store::RunRow& r : *runs) {
    if (r.id != run) continue;
    auto metrics = Measure(store, r);
    auto verdicts = store.Evidence(run);
    if (!metrics.ok() || !verdicts.ok()) return metrics.ok() ? verdicts.error() : metrics.error();
    for (const UnitResult& u : metrics->units)
      out.built += u.built, out.passed += u.public_right, out.passed_hidden += u.right;
    for (const auto& v : *verdicts) {
      if (HasFinding(v)) findings.insert(v.task);
      if (v.verdict != "pass")
        out.failed.try_emplace(v.task, GeneratorReport::Failure{v.part, v.verdict, v.reason});
    }
  }
  out.findings = findings.size();
  return out;
}

Json ToJson(const GeneratorReport& r) {
  Json failed = Json::object();
  for (const auto& [task, f] : r.failed)
    failed[task] = {{"part", f.part}, {"verdict", f.verdict}, {"reason", f.reason}};
  return {{"tasks", r.tasks},   {"emitted", r.emitted},  {"built", r.built},
          {"passed", r.passed}, {"refused", r.refused},  {"passed_hidden", r.passed_hidden},
          {"failed", failed},   {"findings", r.findings}};
}

}  // namespace akgen::bench
