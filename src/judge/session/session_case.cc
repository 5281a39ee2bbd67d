// One case: built, tiled, run.
#include <algorithm>
#include <chrono>

#include "judge/host/definition.h"
#include "judge/host/requests.h"
#include "judge/host/tiling_again.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/session/session.h"
#include "judge/session/unread.h"
#include "judge/time/baseline.h"
#include "judge/time/profile.h"

namespace akgen::judge {
using base::Json;
using record::Verdict;

namespace {
using Clock = std::chrono::steady_clock;
double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}
}  // namespace

toolchain::BuildRequest Session::KernelRequest(const std::string& prelude) const {
  toolchain::BuildRequest request =
      toolchain::KernelRequest(project_, {chip_.npu_arch}, options_.backend);
  request.prelude = prelude;
  const toolchain::Around around = Around();
  const auto beside = around.KernelIncludes(project_.dir);
  request.include_dirs.insert(request.include_dirs.end(), beside.begin(), beside.end());
  request.mounts = around.KernelMounts(project_);
  request.defines = build_options_.defines;
  return request;
}

namespace {
bool NamedTwice(const std::string& structure, const std::string& error) {
  return error.find("redefinition of '" + structure + "'") != std::string::npos ||
         error.find("reference to '" + structure + "' is ambiguous") != std::string::npos;
}
}  // namespace

// A kernel that defines a structure of the same name as one of its host's means its own.
base::Result<toolchain::BuildReply> Session::BuildWith(std::string* prelude) {
  auto reply = executor_.Build(KernelRequest(*prelude));
  for (bool again = true; again && reply.ok() && !reply->ok;) {
    again = std::any_of(host_.structs.begin(), host_.structs.end(), [&](const TilingStruct& s) {
      return NamedTwice(s.name, reply->FirstError()) && LeaveOut(s.name, prelude);
    });
    if (again) reply = executor_.Build(KernelRequest(*prelude));
  }
  return reply;
}

toolchain::BuildReply Session::BuildKernelFor(const task::CaseDesc& c) {
  std::string prelude = KernelPrelude(host_, op_, c);
  auto reply = BuildWith(&prelude);
  if (reply.ok()) return *reply;
  toolchain::BuildReply broken;
  broken.failure = "infra";
  broken.diagnostics.push_back({"error", "", 0, 0, reply.error().message, {}});
  return broken;
}

bool Session::BuildKernel(const task::CaseDesc& c, uint64_t tiling_key, CaseResult& r,
                          std::string& so) {
  std::string prelude = KernelPrelude(host_, op_, c);
  // A template is compiled for one key.
  if (project_.entry.templated)
    prelude += "\n#define AKGEN_TPL_KEY " + std::to_string(tiling_key) + "ull\n";
  // So is every kernel by the vendor's compiler.
  if (OnNpu()) prelude += "\n#define TILING_KEY_VAR " + std::to_string(tiling_key) + "ull\n";
  auto known = kernels_.find(prelude);
  if (known == kernels_.end()) {
    const auto start = Clock::now();
    const std::string wanted = prelude;
    auto reply = BuildWith(&prelude);
    if (!reply.ok()) {
      r.verdict = Verdict::kInfraError;
      r.reason = reply.error().message;
      return false;
    }
    r.build_ms = MsSince(start);
    out_.build_kernel_ms += r.build_ms;
    AddBuild(*reply);
    known = kernels_.emplace(wanted, Kernel{*reply, prelude}).first;
  }
  r.prelude = known->second.prelude;
  const toolchain::BuildReply& built = known->second.built;
  if (!built.ok) {
    out_.lacking = built.lacking;
    r.verdict = VerdictOf(built);
    // Without the case's data types nothing is declared that its kernel could be made of.
    const auto missing =
        options_.kernel_only ? std::vector<record::Finding>{} : FaultsOfColumns(op_, project_, c);
    r.reason = "the kernel does not build: " +
               (missing.empty() ? ReasonOf(built, Around()) : missing[0].message);
    return false;
  }
  so = built.so;
  return true;
}

// A kernel that does not build is said to before its tiling runs, unless the tiling key is what it
// is built for.
bool Session::TileAndBuild(const task::CaseDesc& c, const task::TensorSet& inputs, CaseResult& r,
                           TileReply& tiling, std::string& so) {
  if (project_.entry.templated || OnNpu())
    return Tile(c, inputs, r, tiling) && BuildKernel(c, tiling.tiling_key, r, so);
  return BuildKernel(c, 0, r, so) && Tile(c, inputs, r, tiling);
}

bool Session::Tile(const task::CaseDesc& c, const task::TensorSet& inputs, CaseResult& r,
                   TileReply& tiling) {
  const int limit = std::min(10000, options_.run_timeout_ms);
  auto tile = [&] {
    const auto start = Clock::now();
    tiling = executor_
                 .Tile(host_so_,
                       {TileRequestOf(task_, op_, c, inputs, chip_, options_.show_values)}, limit)
                 .at(0);
    r.tile_ms = MsSince(start);
    case_ms_ += r.tile_ms;
  };
  tile();
  if (tiling.status != "ok" && others_left_out_) {
    if (!LinkOtherChips() || !ReadDefinition()) {
      r.verdict = out_.verdict, r.reason = out_.reason;
      return false;
    }
    tile();
  }
  if (tiling.status == "ok") {
    r.block_dim = tiling.block_dim;
    r.tiling_key = tiling.tiling_key;
    if (const std::string other = tiling.other.empty() ? "" : OtherAnswer(tiling); !other.empty()) {
      r.findings.push_back(DependsOnMemory(tiling, other));
      const RunOutcome outcome = OutcomeOf(r.findings);
      r.verdict = outcome.verdict, r.reason = outcome.reason;
      return false;
    }
    if (r.block_dim >= 1 && r.block_dim <= 65535) return true;
    r.verdict = Verdict::kRuntimeError;
    r.reason = "the tiling function asks for " + std::to_string(r.block_dim) +
               " blocks; 1 to 65535 are possible";
    return false;
  }
  NoteMemory(tiling.status);
  r.verdict = OutcomeOf(tiling.status, tiling.detail, {}).verdict;
  r.reason = tiling.status == "malformed"
                 ? tiling.detail
                 : "the tiling function failed: " +
                       (tiling.detail.empty() ? tiling.status : tiling.detail);
  if (!tiling.log.empty() && tiling.status != "malformed") r.reason += "; it logged: " + tiling.log;
  if (not_built_.empty() || tiling.status != "crash") return false;
  const auto outcome = OutcomeOfLoading("stopped", not_built_);
  const bool lacks = (outcome && outcome->verdict == Verdict::kUnsupported) ||
                     std::any_of(libraries_.begin(), libraries_.end(),
                                 [](const auto& l) { return !l.lacking.empty(); });
  r.verdict = lacks ? Verdict::kUnsupported : Verdict::kBuildError;
  r.reason += "; it calls what does not build: " + not_built_;
  return false;
}

base::Result<sim::RunRequest> Session::RequestFor(const Packed& packed,
                                                  const TileReply& tiling) const {
  sim::RunRequest request;
  request.entry = project_.entry.symbol;
  request.regions = packed.regions, request.args = packed.args;
  request.tiling = tiling.tiling, request.tiling_key = tiling.tiling_key,
  request.blocks = tiling.block_dim;
  request.chip = chip_;
  request.checks = sim::ChecksFromJson(options_.checks);
  request.checks.auto_sync = auto_sync_;
  request.schedule = options_.schedule;
  request.sites = options_.want_lines;
  request.probe = options_.probe;
  TimeOptions time = in_range_ ? TimeOptions{} : options_.time;
  if (scale_ > 0) time.scale = scale_;
  auto timing = TimingRequest(chip_, time);
  if (!timing.ok()) return timing.error();
  request.timing = std::move(*timing);
  return request;
}

bool Session::Execute(const task::CaseDesc& c, const std::string& so, const TileReply& tiling,
                      const task::TensorSet& inputs, const Packed& packed, CaseResult& r) {
  const auto workspace = tiling.WorkspaceBytes(chip_);
  if (!workspace) {
    r.verdict = Verdict::kRuntimeError;
    r.reason = "the tiling function asks for more workspace than the " +
               std::to_string(MostWorkspace(chip_)) + " bytes that the chip has";
    return false;
  }
  auto request = RequestFor(packed, tiling);
  if (!request.ok()) {
    r.reason = request.error().ToString();
    return false;
  }
  request->workspace_bytes = *workspace;
  const uint64_t digest = DigestOf(inputs);
  const auto start = Clock::now();
  const sim::RunReply reply = executor_
                                  .Run({so,
                                        options_.backend,
                                        {std::move(*request)},
                                        inputs.memory.fd(),
                                        packed.outputs.fd(),
                                        options_.run_timeout_ms,
                                        std::max(1, ClockLeft()),
                                        OnNpu() && !in_range_})
                                  .at(0);
  r.run_ms = MsSince(start);
  case_ms_ += r.run_ms;
  auto odd = TakenApart([&] { Note(c, so, inputs, reply, r); });
  if (odd.verdict != Verdict::kPass) {
    r.verdict = VerdictOfBrokenRun(options_.backend, odd.verdict);
    r.reason = odd.reason;
    return false;
  }
  read_.merge(InputsRead(task_, op_, c, packed, reply.unread));
  latest_ = reply;
  const bool passed = r.verdict == Verdict::kPass;
  return KeepsTheRules(c, inputs, digest, reply, r) && passed;
}

// What a run says, in the case's own terms.
void Session::Note(const task::CaseDesc& c, const std::string& so, const task::TensorSet& inputs,
                   const sim::RunReply& reply, CaseResult& r) {
  r.chip_ms = reply.run_us / 1000;
  r.chip_cpu_ms = reply.run_cpu_us / 1000;
  r.findings = NameFindings(executor_, so, reply.findings);
  r.lines = NameSites(executor_, so, reply.sites);
  r.probe = reply.probe;
  if (options_.want_print) r.print = reply.print;
  r.modelled = NameModelled(executor_, so, reply);
  if (HasTime(r.modelled)) {
    r.modelled["bottleneck"] = ProfileOf(*record::LaunchTimeFromJson(r.modelled), chip_).bottleneck;
    if (!options_.time.what_if) r.modelled.erase("what_if");  // they served to name it
    if (auto p = TimingOf(chip_); p.ok())
      r.modelled.update(BaselinesOf(reference_, task_, c, inputs, *p, chip_));
  }
  r.arithmetic = reply.arithmetic;
  r.measured = reply.measured, r.vendor_code = reply.vendor_code;
  if (reply.exchanged) r.hash = reply.hash;
  NoteMemory(reply.status);
  RunOutcome outcome = OutcomeOf(reply.status, reply.detail, r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
}

void Session::Refuse(const Breach& b, CaseResult& r) {
  record::Finding f;
  f.code = b.code;
  f.message = b.message;
  f.fix = b.fix;
  r.findings.push_back(f);
  r.verdict = Verdict::kRejected;
  r.reason = b.code + ": " + b.message;
}

// What a run may not do however it ends.
bool Session::KeepsTheRules(const task::CaseDesc& c, const task::TensorSet& inputs, uint64_t digest,
                            const sim::RunReply& reply, CaseResult& r) {
  auto breach = InputsChanged(digest, inputs);
  if (!breach && r.verdict == Verdict::kPass) breach = StateKept(reply.state_changed);
  // Somebody's own operator may compute as it likes; a candidate for a task may not do with less
  // than it asks for.
  if (!breach && r.verdict == Verdict::kPass && !options_.show_values)
    breach = SilentDowncast(c, r.arithmetic);
  if (breach) Refuse(*breach, r);
  return !breach;
}

// What the toolkit would not build, or would route elsewhere. The host half that comes with the
// task is not the candidate's.
void Session::JudgeDefinition(const task::CaseDesc& c, const TileReply& tiling, CaseResult& r) {
  if (options_.kernel_only || OnNpu()) return;
  if (!definition_) definition_ = FaultsOfDefinition(host_, op_, project_, task_, chip_);
  for (const auto& faults :
       {*definition_, FaultsOfColumns(op_, project_, c), FaultsOfInference(tiling, project_, c)})
    r.findings.insert(r.findings.end(), faults.begin(), faults.end());
}

// A case that cannot be resolved, drawn or referred to: the task's own mistake, or an internal
// error.
void Session::BlameTask(const base::Error& e, CaseResult& r) {
  const bool reference = e.code == "AK0110" || e.code == "AK0111" || e.code == "AK0112";
  // Without a task the shapes are the operator's own, and the reference is the user's.
  const bool own = options_.expected ? e.code == "AK0112" : reference || e.code == "AK0102";
  r.verdict = own ? Verdict::kUndecided : Verdict::kInfraError;
  r.reason = own && !options_.expected ? "a mistake in task " + task_.name + ": " + e.ToString()
                                       : e.ToString();
  out_.task_fault |= own && !options_.expected;
}

const CaseResult* Session::RanOut() const {
  const auto late = std::ranges::find(out_.cases, Verdict::kTimeout, &CaseResult::verdict);
  return late == out_.cases.end() ? nullptr : &*late;
}

void Session::RunCase(const task::CaseRow& row, CaseResult& r) {
  r.id = row.id;
  in_range_ = row.range;
  case_ms_ = 0;
  if (const CaseResult* late = RanOut()) {
    r.skipped = true;
    r.verdict = Verdict::kUndecided;
    r.reason = "not run: case " + late->id + " ran out of time";
    return;
  }
  auto c = task::ResolveCase(task_, row);
  if (!c.ok()) return BlameTask(c.error(), r);
  if (std::string too_large = task::TooLarge(*c); !too_large.empty()) {
    r.skipped = true;
    r.verdict = Verdict::kUndecided;
    r.reason = too_large;
    if (!OnNpu()) JudgeTooLarge(row, *c, r);
    return;
  }
  std::string so;
  auto inputs = task::GenerateInputs(task_, *c, seed_);
  if (!inputs.ok()) return BlameTask(inputs.error(), r);
  if (options_.fill_inputs)
    if (auto filled = options_.fill_inputs(*c, *inputs); !filled.ok()) {
      r.reason = filled.error().ToString();
      return;
    }
  TileReply tiling;
  if (!TileAndBuild(*c, *inputs, r, tiling, so)) return;
  PoisonPadding(*inputs);
  auto packed = Pack(op_, *c, *inputs, tiling.need_atomic);
  if (!packed.ok()) {
    r.reason = packed.error().message;
    return;
  }
  if (!Execute(*c, so, tiling, *inputs, *packed, r) || options_.probe) return;
  if (!SameWithOtherTiling(*c, so, tiling, *inputs, *packed, r)) return;
  if (options_.outputs) options_.outputs(*c, *packed);
  JudgeDefinition(*c, tiling, r);
  if (task_.reference.empty() && !options_.expected) {  // nothing to compare with
    RunOutcome outcome = OutcomeOf(r.findings);
    r.verdict = outcome.verdict;
    r.reason = outcome.reason;
    return;
  }
  const auto start = Clock::now();
  auto golden = options_.expected ? options_.expected(*c, *inputs)
                                  : reference_.Golden(task_, *c, seed_, *inputs);
  r.reference_ms = MsSince(start);
  r.reference_cached = !options_.expected && reference_.last_was_cached();
  if (!golden.ok()) return BlameTask(golden.error(), r);
  // A case of the range group is one of many, and NaN is what it may be about.
  if (r.reason = row.range ? "" : NothingToCompare(*c, *golden); !r.reason.empty()) {
    r.verdict = Verdict::kUndecided;
    return;
  }
  CompareOutputs(*c, *inputs, *packed, *golden, r);
  if (auto odd = TakenApart([&] { BlameImprecise(*c, so, tiling, *inputs, *golden, r); });
      odd.verdict != Verdict::kPass)
    r.reason += "; " + odd.reason;
  if (r.verdict != Verdict::kPass) return;
  r.numbers_pass = true;
  if (OutcomeOf(r.findings).verdict == Verdict::kPass)
    TryOtherOrders(*c, so, tiling, *inputs, *golden, r);
  if (r.verdict != Verdict::kPass) return;
  RunOutcome outcome = OutcomeOf(r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
}

}  // namespace akgen::judge
