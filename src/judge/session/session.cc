#include "judge/session/session.h"

#include <algorithm>

#include "base/hash.h"
#include "base/seed.h"
#include "judge/host/definition.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/run/pack.h"
#include "judge/run/simulated_chip.h"
#include "judge/session/compare.h"
#include "judge/session/full_shape.h"
#include "judge/session/further_runs.h"
#include "judge/session/other_orders.h"
#include "judge/session/provenance.h"
#include "judge/session/unread.h"
#include "sim/check/checks.h"
#include "sim/timing/eager.h"
#include "sim/timing/errors.h"
#include "task/generate.h"
#include "task/range.h"

namespace akgen::judge {
using record::Verdict;

// An answer that is right without an input that it depends on is right by luck, or knows the case.
void Session::LookForUnread(const std::vector<const task::CaseRow*>& rows) {
  if (state_.task.reference.empty() || state_.options.expected || RanOut()) return;
  for (size_t input = 0; input < state_.task.inputs.size(); ++input)
    for (size_t i = 0; i < rows.size() && !runner_.read().contains(input); ++i) {
      CaseResult& r = state_.out.cases[i];
      if (r.verdict != Verdict::kPass) continue;
      auto c = task::ResolveCase(state_.task, *rows[i]);
      auto finding =
          c.ok() ? Unread(state_.reference, state_.task, *c, state_.seed, input) : std::nullopt;
      if (!finding) continue;
      r.findings.push_back(*finding);
      r.verdict = Verdict::kFinding;
      r.reason = finding->code + ": " + finding->message;
      break;
    }
}

// What the toolkit would not build, or would route elsewhere. The host half that comes with the
// task is not the candidate's.
void Session::JudgeDefinition(CaseRun& run) {
  if (state_.options.kernel_only || state_.OnNpu()) return;
  if (!definition_)
    definition_ =
        FaultsOfDefinition(state_.host, state_.op, state_.project, state_.task, state_.chip);
  for (const auto& faults : {*definition_, FaultsOfColumns(state_.op, state_.project, run.desc),
                             FaultsOfInference(run.tiling, state_.project, run.desc)})
    run.result.findings.insert(run.result.findings.end(), faults.begin(), faults.end());
}

// A case that cannot be resolved, drawn or referred to: the task's own mistake, or an internal
// error.
void Session::BlameTask(const base::Error& e, CaseResult& r) {
  const bool reference = e.code == "AK0110" || e.code == "AK0111" || e.code == "AK0112";
  // Without a task the shapes are the operator's own, and the reference is the user's.
  const bool own = state_.options.expected ? e.code == "AK0112" : reference || e.code == "AK0102";
  r.verdict = own ? Verdict::kUndecided : Verdict::kInfraError;
  r.reason = own && !state_.options.expected
                 ? "a mistake in task " + state_.task.name + ": " + e.ToString()
                 : e.ToString();
  state_.out.task_fault |= own && !state_.options.expected;
}

const CaseResult* Session::RanOut() const {
  const auto late = std::ranges::find(state_.out.cases, Verdict::kTimeout, &CaseResult::verdict);
  return late == state_.out.cases.end() ? nullptr : &*late;
}

void Session::RunCase(const task::CaseRow& row, CaseResult& r) {
  r.id = row.id;
  runner_.Begin(row.range);
  if (const CaseResult* late = RanOut()) {
    r.skipped = true;
    r.verdict = Verdict::kUndecided;
    r.reason = "not run: case " + late->id + " ran out of time";
    return;
  }
  auto c = task::ResolveCase(state_.task, row);
  if (!c.ok()) return BlameTask(c.error(), r);
  if (std::string too_large = task::TooLarge(*c); !too_large.empty()) {
    r.skipped = true;
    r.verdict = Verdict::kUndecided;
    r.reason = too_large;
    if (!state_.OnNpu()) JudgeTooLarge(state_, runner_, row, *c, r);
    return;
  }
  auto inputs = task::GenerateInputs(state_.task, *c, state_.seed);
  if (!inputs.ok()) return BlameTask(inputs.error(), r);
  if (state_.options.fill_inputs)
    if (auto filled = state_.options.fill_inputs(*c, *inputs); !filled.ok()) {
      r.reason = filled.error().ToString();
      return;
    }
  CaseRun run{*c, *inputs, r};
  if (!runner_.TileAndBuild(run)) return;
  PoisonPadding(*inputs);
  auto packed = Pack(state_.op, *c, *inputs, run.tiling.need_atomic);
  if (!packed.ok()) {
    r.reason = packed.error().message;
    return;
  }
  if (!runner_.Execute(run, *packed) || state_.options.probe) return;
  if (!SameWithOtherTiling(state_, runner_, run, *packed)) return;
  if (state_.options.outputs) state_.options.outputs(*c, *packed);
  JudgeDefinition(run);
  if (state_.task.reference.empty() && !state_.options.expected) {  // nothing to compare with
    RunOutcome outcome = OutcomeOf(r.findings);
    r.verdict = outcome.verdict;
    r.reason = outcome.reason;
    return;
  }
  const auto start = Clock::now();
  auto golden = state_.options.expected
                    ? state_.options.expected(*c, *inputs)
                    : state_.reference.Golden(state_.task, *c, state_.seed, *inputs);
  r.reference_ms = MsSince(start);
  r.reference_cached = !state_.options.expected && state_.reference.last_was_cached();
  if (!golden.ok()) return BlameTask(golden.error(), r);
  // A case of the range group is one of many, and NaN is what it may be about.
  if (r.reason = row.range ? "" : NothingToCompare(*c, *golden); !r.reason.empty()) {
    r.verdict = Verdict::kUndecided;
    return;
  }
  run.expected = &*golden;
  CompareOutputs(state_, run, *packed, r);
  if (auto odd = TakenApart([&] { BlameImprecise(state_, runner_, run); });
      odd.verdict != Verdict::kPass)
    r.reason += "; " + odd.reason;
  if (r.verdict != Verdict::kPass) return;
  r.numbers_pass = true;
  if (OutcomeOf(r.findings).verdict == Verdict::kPass) TryOtherOrders(state_, runner_, run);
  if (r.verdict != Verdict::kPass) return;
  RunOutcome outcome = OutcomeOf(r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
}

namespace {
// Empty where the range group is to be run.
std::string WhyNoRange(const Options& options, const task::TaskSpec& task) {
  if (!options.range) return "not run: left out";
  if (options.inputs == "upstream") return "not run: inputs are upstream's";
  if (!options.cases.empty()) return "not run: single cases were asked for";
  if (options.precision == "upstream") return "not run: upstream's rule has its own inputs";
  if (options.expected || options.fill_inputs || options.probe || task.reference.empty())
    return "not run: inputs or expected values are the user's own";
  return "";
}

}  // namespace

Judgement Session::Describe(const std::string& dir) {
  state_.out.project = dir;
  state_.out.chip = state_.options.chip;
  if (Prepare(dir)) state_.out.verdict = Verdict::kPass;
  return state_.out;
}

bool Session::Prepare(const std::string& dir) {
  const auto no = LoadRunnable(state_.options.chip, &state_.chip);
  if (!state_.chip.name.empty()) state_.out.provenance.chip = HashOfChip(state_.chip);
  if (no) return state_.Stop(no->verdict, no->reason);
  if (state_.options.time.on) {  // a record would lack what is said beside times, and not say why
    const auto ranges = sim::LoadErrors();
    const auto eager = sim::LoadEager();
    for (const base::Error* e :
         {ranges.ok() ? nullptr : &ranges.error(), eager.ok() ? nullptr : &eager.error()})
      if (e)
        return state_.Stop(Verdict::kInfraError, e->code + ": " + e->message + ": " + e->where);
  }
  auto project = toolchain::LoadProject(dir, !state_.options.kernel_only);
  if (!project.ok()) {
    const base::Error& e = project.error();
    return state_.Stop(e.code == "AK0318" ? Verdict::kUnsupported : Verdict::kBuildError,
                       e.code + ": " + e.message + (e.code == "AK0001" ? ": " + e.where : ""));
  }
  state_.project = *project;
  state_.out.provenance.candidate = base::HashOfFolder(state_.project.dir);
  if (auto breach = BreachInSources(state_.project.dir)) return state_.Refuse(*breach);
  return host_side_.Build();
}

// The first case that did not pass decides; skipped cases do not count as passed nor as failed.
void Session::Summarise() {
  size_t passed = 0, skipped = 0;
  const CaseResult* bad = nullptr;
  for (const CaseResult& r : state_.out.cases) {
    skipped += r.skipped;
    passed += r.verdict == Verdict::kPass;
    if (!bad && !r.skipped && r.verdict != Verdict::kPass) bad = &r;
  }
  if (bad) {
    state_.out.verdict = bad->verdict;
    state_.out.reason = "case " + bad->id + ": " + bad->reason;
  } else if (passed) {
    state_.out.verdict = Verdict::kPass;
    if (skipped) state_.out.reason = std::to_string(skipped) + " cases skipped";
  } else {
    state_.out.verdict = Verdict::kUndecided;
    state_.out.reason =
        state_.out.cases.empty() ? "no case was asked for" : "every case was skipped";
  }
}

// Those that were asked for; nothing when one of them is not there.
std::optional<std::vector<const task::CaseRow*>> Session::Rows() {
  std::vector<const task::CaseRow*> rows;
  if (state_.options.cases.empty())
    for (const auto& row : state_.options.rows.empty() ? state_.task.cases : state_.options.rows)
      rows.push_back(&row);
  for (const auto& id : state_.options.cases) {
    rows.push_back(state_.task.FindCase(id));
    if (rows.back()) continue;
    state_.Stop(Verdict::kInfraError, "AK0103: the task has no case " + id);
    return std::nullopt;
  }
  return rows;
}

void Session::RunRows(const std::vector<const task::CaseRow*>& rows, size_t before, size_t all) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (state_.options.progress) state_.options.progress(before + i, all, "case " + rows[i]->id);
    state_.out.cases.emplace_back();
    CaseResult& r = state_.out.cases.back();
    if (auto odd = TakenApart([&] { RunCase(*rows[i], r); }); odd.verdict != Verdict::kPass)
      r.verdict = odd.verdict, r.reason = odd.reason;
  }
}

// The range group decides about what has passed so far. It ends at the first case that does not
// pass, the only one that is kept.
void Session::RunRange() {
  state_.out.range = WhyNoRange(state_.options, state_.task);
  if (!state_.out.range.empty()) return;
  if (state_.out.verdict != Verdict::kPass) {
    state_.out.range =
        "not run: " + std::string(record::NameOf(state_.out.verdict)) + " without it";
    return;
  }
  auto rows = task::RangeCases(state_.task, state_.reference);
  if (!rows.ok()) {
    state_.Stop(Verdict::kInfraError, "the range group: " + rows.error().ToString());
    return;
  }
  range_ = std::move(*rows);
  state_.out.range = "run: " + std::to_string(range_.size()) + " cases";
  const size_t before = state_.out.cases.size();
  for (size_t i = 0; i < range_.size(); ++i) {
    RunRows({&range_[i]}, before + i, before + range_.size());
    if (state_.out.cases.back().verdict != Verdict::kPass) break;
    state_.out.cases.pop_back();
  }
  Summarise();
}

Judgement Session::Run(const std::string& dir) {
  state_.out.task = state_.task.name;
  state_.out.project = dir;
  state_.out.category = state_.task.category;
  state_.out.level = state_.task.level;
  state_.out.chip = state_.options.chip;
  state_.out.backend = state_.options.backend;
  state_.out.seed = state_.options.seed.value_or(0);
  state_.out.checks =
      sim::NamesOf(sim::ChecksFromJson(state_.options.checks)).get<std::vector<std::string>>();
  state_.out.provenance.task = HashOfTask(state_.task), state_.out.provenance.judge = HashOfJudge();
  state_.out.provenance.sandbox = state_.executor.Layers(),
  state_.out.provenance.device = state_.executor.Facts();
  state_.out.precision = state_.options.precision;
  const auto rows = Rows();
  if (!rows) return state_.out;
  bool prepared = false;
  if (auto odd = TakenApart([&] { prepared = Prepare(dir); }); odd.verdict != Verdict::kPass)
    state_.Stop(odd.verdict, odd.reason);
  if (!prepared) return state_.out;
  state_.out.seed = state_.seed = state_.options.seed ? *state_.options.seed : base::DrawSeed();
  RunRows(*rows, 0, rows->size());
  LookForUnread(*rows);
  Summarise();
  RunRange();
  if (std::string why = ChangedUnderneath(state_.project.dir, state_.out.provenance.candidate);
      !why.empty())
    state_.Stop(Verdict::kInfraError, why);
  return state_.out;
}

}  // namespace akgen::judge
