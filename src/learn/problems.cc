#include "learn/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/files.h"
#include "base/seed.h"
#include "corpus/compose/composed_task.h"
#include "corpus/records/corpus_record.h"
#include "corpus/records/task_records.h"
#include "craft/craft.h"
#include "craft/plan/operations_text.h"
#include "generate/generator.h"

namespace akgen::learn {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr size_t kMaxInARow = 2000;  // compositions that may be passed over between two problems
constexpr int kHiddenCases = 2;
constexpr uint64_t kHiddenPurpose = 1;  // of their seed
constexpr int kRunTimeoutMs = 20000;    // cases are small: what takes longer does not end

Error NoCorpus(const std::string& what, const std::string& where, const std::string& fix) {
  return {"AK0801", what, where, fix};
}
}  // namespace

// Lines are long: the graph is found in their text. In JSON a quote inside a string has a backslash
// before it.
base::Status Problems::ReadApart() {
  static const std::string kKey = "\"graph\":\"";
  for (const std::string& folder : options_.exclude) {
    const fs::path file = fs::path(folder) / "synthetic/records.jsonl";
    std::ifstream in(file);
    if (!in)
      return NoCorpus("there are no composed records", file.string(),
                      "name a folder of `akgen corpus build --synthetic`");
    for (std::string line; std::getline(in, line);)
      if (size_t at = line.find(kKey); at != std::string::npos)
        seen_.insert(
            line.substr(at + kKey.size(), line.find('"', at + kKey.size()) - at - kKey.size()));
  }
  return {};
}

base::Status Problems::ReadTasks() {
  if (options_.tasks.empty()) return {};
  if (options_.heldout.empty())
    return Error{"AK0708", "tasks are asked only when it is said which are held out", "--tasks",
                 "--heldout models/heldout.json"};
  auto names = corpus::ReadHeldout(options_.heldout);
  if (!names.ok()) return names.error();
  const std::set<std::string> held(names->begin(), names->end());
  std::set<std::string> graphs;
  for (const std::string& name : held)
    if (auto it = benchmark_.hashes.find(name); it != benchmark_.hashes.end())
      graphs.insert(it->second.begin(), it->second.end());
  const fs::path file = fs::path(options_.tasks) / "tasks/records.jsonl";
  std::ifstream in(file);
  if (!in)
    return NoCorpus("there are no records of tasks", file.string(),
                    "make them: akgen corpus tasks --heldout FILE --out DIR");
  for (std::string line; std::getline(in, line);) {
    const auto r = base::Checked(file.string(), [&]() -> Result<corpus::CorpusRecord> {
      return corpus::CorpusRecordFromJson(base::Parse(line));
    });
    if (!r.ok() || r->kind != "task" || r->name.empty() || !r->operations || !r->program)
      return NoCorpus("this is no record of a task", file.string(),
                      "make the folder again: akgen corpus tasks");
    const std::string& name = r->name;
    auto own = benchmark_.hashes.find(name);
    bool like = own != benchmark_.hashes.end() &&
                std::any_of(own->second.begin(), own->second.end(),
                            [&](const auto& h) { return graphs.count(h) > 0; });
    if (held.count(name) || like)
      return NoCorpus(
          name + " is held out, or computes what a held-out task computes", file.string(),
          "make the folder again with this list: akgen corpus tasks --heldout " + options_.heldout);
    tasks_.push_back({name, *r->operations, *r->program});
  }
  return {};
}

Result<Problems> Problems::Open(const ProblemOptions& options,
                                const std::function<void(size_t, size_t)>& progress) {
  Problems out;
  out.options_ = options;
  auto target = craft::LoadTarget(options.chip);
  if (!target.ok()) return target.error();
  out.target_ = *target;
  auto benchmark =
      corpus::LoadBenchmark((base::CacheDir() / "benchmark_graphs.json").string(), progress);
  if (!benchmark.ok()) return benchmark.error();
  out.benchmark_ = std::move(*benchmark);
  if (auto s = out.ReadApart(); !s.ok()) return s.error();
  if (auto s = out.ReadTasks(); !s.ok()) return s.error();
  return out;
}

Result<Problem> Problems::OfTask(const TaskLine& t) const {
  auto spec = task::LoadTask(t.name);
  if (!spec.ok()) return spec.error();
  Problem p{"task " + t.name, false, t.operations, t.program, std::move(*spec), {}, target_};
  p.rows = corpus::SmallestCases(p.task, options_.cases);
  return p;
}

std::optional<Problem> Problems::Compose(uint64_t index, std::string& canonical) const {
  const corpus::Composition c = corpus::RandomComposition(options_.seed, index);
  canonical = corpus::CanonicalOf(c);
  if (seen_.count(canonical)) return std::nullopt;
  const std::string reference = corpus::ReferenceText(c);
  for (const std::string& one : corpus::CanonicalsOf(c))
    if (!benchmark_.Match(one, reference).empty()) return std::nullopt;
  const craft::PlanTask plan = corpus::PlanOf(c);
  auto program = craft::Plan(plan, target_);
  if (!program.ok() || !craft::Compile(*program, target_).diagnostics.empty()) return std::nullopt;
  Problem p{fmt::format("composed {} {}", options_.seed, index),
            true,
            craft::OperationsText(plan),
            *program,
            corpus::ComposedTask(c),
            {},
            target_};
  p.rows = p.task.cases;
  return p;
}

Result<std::optional<Problem>> Problems::Next() {
  if (at_ < tasks_.size()) {
    auto p = OfTask(tasks_[at_++]);
    if (!p.ok()) return p.error();
    return std::optional<Problem>(std::move(*p));
  }
  for (size_t tries = 0; composed_ < options_.compositions; ++tries) {
    if (tries == kMaxInARow)
      return Error{"AK0803", "new compositions have become too rare", "",
                   "ask for fewer, or take another seed"};
    std::string canonical;
    auto p = Compose(index_++, canonical);
    if (!p) {
      ++passed_over_;
      continue;
    }
    seen_.insert(canonical);
    ++composed_;
    return p;
  }
  return std::optional<Problem>();
}

Result<Answered> JudgeAnswer(generate::JudgePool& pool, const Problem& problem,
                             const std::string& answer, uint64_t seed, bool time) {
  generate::Made made = generate::MakeFromProgram(answer, problem.task, problem.target);
  if (made.files.empty()) return Answered{made.outcome, made.reason, true};
  judge::Options options;
  options.rows = problem.rows;
  options.seed = seed;
  options.time.on = time;
  options.run_timeout_ms = kRunTimeoutMs;
  auto tried = pool.Run(made.files, problem.task, options,
                        {kHiddenCases, base::DerivedSeed(seed, kHiddenPurpose), {}});
  if (!tried.ok()) return tried.error();
  Answered out{std::string(record::NameOf(tried->verdict())), tried->reason(), tried->sealed()};
  bool timed = !tried->shown.cases.empty();
  for (const auto& c : tried->shown.cases) {
    const record::Modelled one = record::ModelledOf(c.modelled);
    timed = timed && one.known();
    out.modelled = out.modelled + one;
  }
  if (!timed) out.modelled = {};
  out.merit = record::MeritOf(judge::RecordOf(tried->shown).cases);
  if (tried->hidden)
    out.merit.right_values &= record::MeritOf(judge::RecordOf(*tried->hidden).cases).right_values;
  return out;
}

}  // namespace akgen::learn
