#include "judge/session/case_runner.h"

#include <algorithm>

#include "judge/host/definition.h"
#include "judge/host/requests.h"
#include "judge/host/tiling_again.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/session/unread.h"
#include "judge/time/baseline.h"
#include "judge/time/profile.h"
#include "sim/check/checks.h"

namespace akgen::judge {
using record::Verdict;

toolchain::BuildRequest CaseRunner::KernelRequest(const std::string& prelude) const {
  toolchain::BuildRequest request =
      toolchain::KernelRequest(state_.project, {state_.chip.npu_arch}, state_.options.backend);
  request.prelude = prelude;
  const toolchain::Around around = state_.Around();
  const auto beside = around.KernelIncludes(state_.project.dir);
  request.include_dirs.insert(request.include_dirs.end(), beside.begin(), beside.end());
  request.mounts = around.KernelMounts(state_.project);
  request.defines = state_.build_options.defines;
  return request;
}

namespace {
bool NamedTwice(const std::string& structure, const std::string& error) {
  return error.find("redefinition of '" + structure + "'") != std::string::npos ||
         error.find("reference to '" + structure + "' is ambiguous") != std::string::npos;
}
}  // namespace

// A kernel that defines a structure of the same name as one of its host's means its own.
base::Result<toolchain::BuildReply> CaseRunner::BuildWith(std::string* prelude) {
  auto reply = state_.executor.Build(KernelRequest(*prelude));
  for (bool again = true; again && reply.ok() && !reply->ok;) {
    again = std::any_of(
        state_.host.structs.begin(), state_.host.structs.end(), [&](const TilingStruct& s) {
          return NamedTwice(s.name, reply->FirstError()) && LeaveOut(s.name, prelude);
        });
    if (again) reply = state_.executor.Build(KernelRequest(*prelude));
  }
  return reply;
}

toolchain::BuildReply CaseRunner::BuildKernelFor(const task::CaseDesc& c) {
  std::string prelude = KernelPrelude(state_.host, state_.op, c);
  auto reply = BuildWith(&prelude);
  if (reply.ok()) return *reply;
  toolchain::BuildReply broken;
  broken.failure = "infra";
  broken.diagnostics.push_back({"error", "", 0, 0, reply.error().message, {}});
  return broken;
}

bool CaseRunner::BuildKernel(CaseRun& run, uint64_t tiling_key) {
  const task::CaseDesc& c = run.desc;
  CaseResult& r = run.result;
  std::string prelude = KernelPrelude(state_.host, state_.op, c);
  // A template is compiled for one key.
  if (state_.project.entry.templated)
    prelude += "\n#define AKGEN_TPL_KEY " + std::to_string(tiling_key) + "ull\n";
  // So is every kernel by the vendor's compiler.
  if (state_.OnNpu()) prelude += "\n#define TILING_KEY_VAR " + std::to_string(tiling_key) + "ull\n";
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
    state_.out.build_kernel_ms += r.build_ms;
    state_.AddBuild(*reply);
    known = kernels_.emplace(wanted, Kernel{*reply, prelude}).first;
  }
  r.prelude = known->second.prelude;
  const toolchain::BuildReply& built = known->second.built;
  if (!built.ok) {
    state_.out.lacking = built.lacking;
    r.verdict = VerdictOf(built);
    // Without the case's data types nothing is declared that its kernel could be made of.
    const auto missing = state_.options.kernel_only ? std::vector<record::Finding>{}
                                                    : FaultsOfColumns(state_.op, state_.project, c);
    r.reason = "the kernel does not build: " +
               (missing.empty() ? ReasonOf(built, state_.Around()) : missing[0].message);
    return false;
  }
  run.object = built.so;
  return true;
}

// A kernel that does not build is said to before its tiling runs, unless the tiling key is what it
// is built for.
bool CaseRunner::TileAndBuild(CaseRun& run) {
  if (state_.project.entry.templated || state_.OnNpu())
    return Tile(run) && BuildKernel(run, run.tiling.tiling_key);
  return BuildKernel(run, 0) && Tile(run);
}

bool CaseRunner::Tile(CaseRun& run) {
  const int limit = std::min(10000, state_.options.run_timeout_ms);
  TileReply& tiling = run.tiling;
  CaseResult& r = run.result;
  auto tile = [&] {
    const auto start = Clock::now();
    tiling = state_.executor
                 .Tile(state_.host_object,
                       {TileRequestOf(state_.task, state_.op, run.desc, run.inputs, state_.chip,
                                      state_.options.show_values)},
                       limit)
                 .at(0);
    r.tile_ms = MsSince(start);
    case_ms_ += r.tile_ms;
  };
  tile();
  if (tiling.status != "ok" && host_.others_left_out()) {
    if (!host_.AddOtherChips()) {
      r.verdict = state_.out.verdict, r.reason = state_.out.reason;
      return false;
    }
    tile();
  }
  if (tiling.status != "ok") return BlameTiling(run), false;
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

// Of one that did not succeed.
void CaseRunner::BlameTiling(CaseRun& run) {
  const TileReply& tiling = run.tiling;
  CaseResult& r = run.result;
  state_.NoteMemory(tiling.status);
  r.verdict = OutcomeOf(tiling.status, tiling.detail, {}).verdict;
  r.reason = tiling.status == "malformed"
                 ? tiling.detail
                 : "the tiling function failed: " +
                       (tiling.detail.empty() ? tiling.status : tiling.detail);
  if (!tiling.log.empty() && tiling.status != "malformed") r.reason += "; it logged: " + tiling.log;
  const std::string& not_built = host_.not_built();
  if (not_built.empty() || tiling.status != "crash") return;
  const auto outcome = OutcomeOfLoading("stopped", not_built);
  const bool lacks =
      (outcome && outcome->verdict == Verdict::kUnsupported) || host_.LibrariesLackApi();
  r.verdict = lacks ? Verdict::kUnsupported : Verdict::kBuildError;
  r.reason += "; it calls what does not build: " + not_built;
}

base::Result<sim::RunRequest> CaseRunner::RequestFor(const Packed& packed, const TileReply& tiling,
                                                     double scale) const {
  sim::RunRequest request;
  request.entry = state_.project.entry.symbol;
  request.regions = packed.regions, request.args = packed.args;
  request.tiling = tiling.tiling, request.tiling_key = tiling.tiling_key,
  request.blocks = tiling.block_dim;
  request.chip = state_.chip;
  request.checks = sim::ChecksFromJson(state_.options.checks);
  request.checks.auto_sync = state_.auto_sync;
  request.schedule = state_.options.schedule;
  request.sites = state_.options.want_lines;
  request.probe = state_.options.probe;
  TimeOptions time = in_range_ ? TimeOptions{} : state_.options.time;
  if (scale > 0) time.scale = scale;
  auto timing = TimingRequest(state_.chip, time);
  if (!timing.ok()) return timing.error();
  request.timing = std::move(*timing);
  return request;
}

bool CaseRunner::Execute(CaseRun& run, const Packed& packed, double scale) {
  CaseResult& r = run.result;
  const auto workspace = run.tiling.WorkspaceBytes(state_.chip);
  if (!workspace) {
    r.verdict = Verdict::kRuntimeError;
    r.reason = "the tiling function asks for more workspace than the " +
               std::to_string(MostWorkspace(state_.chip)) + " bytes that the chip has";
    return false;
  }
  auto request = RequestFor(packed, run.tiling, scale);
  if (!request.ok()) {
    r.reason = request.error().ToString();
    return false;
  }
  request->workspace_bytes = *workspace;
  const uint64_t digest = DigestOf(run.inputs);
  const auto start = Clock::now();
  const sim::RunReply reply = state_.executor
                                  .Run({run.object,
                                        state_.options.backend,
                                        {std::move(*request)},
                                        run.inputs.memory.fd(),
                                        packed.outputs.fd(),
                                        state_.options.run_timeout_ms,
                                        std::max(1, ClockLeft()),
                                        state_.OnNpu() && !in_range_})
                                  .at(0);
  r.run_ms = MsSince(start);
  case_ms_ += r.run_ms;
  auto odd = TakenApart([&] { Note(run, reply); });
  if (odd.verdict != Verdict::kPass) {
    r.verdict = VerdictOfBrokenRun(state_.options.backend, odd.verdict);
    r.reason = odd.reason;
    return false;
  }
  read_.merge(InputsRead(state_.task, state_.op, run.desc, packed, reply.unread));
  latest_ = reply;
  const bool passed = r.verdict == Verdict::kPass;
  return KeepsTheRules(run, digest, reply) && passed;
}

// What a run says, in the case's own terms.
void CaseRunner::Note(CaseRun& run, const sim::RunReply& reply) {
  CaseResult& r = run.result;
  r.chip_ms = reply.run_us / 1000;
  r.chip_cpu_ms = reply.run_cpu_us / 1000;
  r.findings = NameFindings(state_.executor, run.object, reply.findings);
  r.lines = NameSites(state_.executor, run.object, reply.sites);
  r.probe = reply.probe;
  if (state_.options.want_print) r.print = reply.print;
  r.modelled = NameModelled(state_.executor, run.object, reply);
  if (HasTime(r.modelled)) {
    r.modelled["bottleneck"] =
        ProfileOf(*record::LaunchTimeFromJson(r.modelled), state_.chip).bottleneck;
    if (!state_.options.time.what_if) r.modelled.erase("what_if");  // they served to name it
    if (auto p = TimingOf(state_.chip); p.ok())
      r.modelled.update(
          BaselinesOf(state_.reference, state_.task, run.desc, run.inputs, *p, state_.chip));
  }
  r.arithmetic = reply.arithmetic;
  r.measured = reply.measured, r.vendor_code = reply.vendor_code;
  if (reply.exchanged) r.hash = reply.hash;
  state_.NoteMemory(reply.status);
  RunOutcome outcome = OutcomeOf(reply.status, reply.detail, r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
}

namespace {
void RefuseCase(const Breach& b, CaseResult& r) {
  record::Finding f;
  f.code = b.code;
  f.message = b.message;
  f.fix = b.fix;
  r.findings.push_back(f);
  r.verdict = Verdict::kRejected;
  r.reason = b.code + ": " + b.message;
}
}  // namespace

// What a run may not do however it ends.
bool CaseRunner::KeepsTheRules(CaseRun& run, uint64_t digest, const sim::RunReply& reply) {
  CaseResult& r = run.result;
  auto breach = InputsChanged(digest, run.inputs);
  if (!breach && r.verdict == Verdict::kPass) breach = StateKept(reply.state_changed);
  // Somebody's own operator may compute as it likes; a candidate for a task may not do with less
  // than it asks for.
  if (!breach && r.verdict == Verdict::kPass && !state_.options.show_values)
    breach = SilentDowncast(run.desc, r.arithmetic);
  if (breach) RefuseCase(*breach, r);
  return !breach;
}

std::optional<sim::RunReply> CaseRunner::RunAgain(
    const CaseRun& run, const Packed& packed, const std::function<void(sim::RunRequest&)>& how) {
  const auto workspace = run.tiling.WorkspaceBytes(state_.chip);
  if (!workspace) return std::nullopt;
  auto request = RequestFor(packed, run.tiling);
  if (!request.ok()) return std::nullopt;
  request->workspace_bytes = *workspace;
  request->checks = {false, false, false, false, request->checks.auto_sync};
  request->timing.reset();
  how(*request);
  const auto start = Clock::now();
  auto reply = state_.executor
                   .Run({run.object,
                         state_.options.backend,
                         {std::move(*request)},
                         run.inputs.memory.fd(),
                         packed.outputs.fd(),
                         state_.options.run_timeout_ms,
                         std::max(1, ClockLeft())})
                   .at(0);
  case_ms_ += MsSince(start);
  return reply;
}

}  // namespace akgen::judge
