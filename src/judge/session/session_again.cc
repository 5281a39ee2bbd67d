// Cases that are run once more, to say why.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "judge/host/tiling_again.h"
#include "judge/run/findings.h"
#include "judge/session/session.h"

namespace akgen::judge {
using record::Verdict;

std::optional<sim::RunReply> Session::RunAgain(const std::string& so, const TileReply& tiling,
                                               const task::TensorSet& inputs, const Packed& packed,
                                               const std::function<void(sim::RunRequest&)>& how) {
  const auto workspace = tiling.WorkspaceBytes(chip_);
  if (!workspace) return std::nullopt;
  auto request = RequestFor(packed, tiling);
  if (!request.ok()) return std::nullopt;
  request->workspace_bytes = *workspace;
  request->checks = {false, false, false, false, request->checks.auto_sync};
  request->timing.reset();
  how(*request);
  const auto start = std::chrono::steady_clock::now();
  auto reply = executor_
                   .Run({so,
                         options_.backend,
                         {std::move(*request)},
                         inputs.memory.fd(),
                         packed.outputs.fd(),
                         options_.run_timeout_ms,
                         std::max(1, ClockLeft())})
                   .at(0);
  case_ms_ +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return reply;
}

// Wrong values of a kernel with instructions that are inaccurate by their pages: would they be
// right if those were exact? Then the instructions are named, each at its place.
void Session::BlameImprecise(const task::CaseDesc& c, const std::string& so,
                             const TileReply& tiling, const task::TensorSet& inputs,
                             const task::TensorSet& golden, CaseResult& r) {
  if (r.verdict != Verdict::kWrongAnswer || !r.arithmetic.contains("imprecise")) return;
  auto packed = Pack(op_, c, inputs, tiling.need_atomic);
  if (!packed.ok()) return;
  const auto reply =
      RunAgain(so, tiling, inputs, *packed, [](sim::RunRequest& request) { request.exact = true; });
  if (!reply || reply->status != "ok") return;
  CaseResult exact;
  CompareOutputs(c, inputs, *packed, golden, exact);
  if (exact.verdict != Verdict::kPass) return;
  for (record::Finding& f : NameFindings(executor_, so, reply->findings)) {
    if (f.code != "AK1507") continue;
    r.reason = f.code + ": " + f.message + "; " + r.reason;
    r.findings.push_back(std::move(f));
  }
}

// The kernel may leave the bytes that differ alone, as it does with padding: then they make no
// difference to it.
bool Session::SameWithOtherTiling(const task::CaseDesc& c, const std::string& so,
                                  const TileReply& tiling, const task::TensorSet& inputs,
                                  const Packed& first, CaseResult& r) {
  if (tiling.other.empty()) return true;
  auto packed = Pack(op_, c, inputs, tiling.need_atomic);
  if (!packed.ok())
    return r.reason = packed.error().message, r.verdict = Verdict::kInfraError, false;
  TileReply again = tiling;
  again.tiling = tiling.other[0].tiling;
  const auto reply = RunAgain(so, again, inputs, *packed, [](sim::RunRequest&) {});
  if (reply && reply->status == "error") {
    r.verdict = Verdict::kInfraError;
    r.reason = reply->detail;
    return false;
  }
  if (reply && reply->status == "ok" && first.outputs.size() == packed->outputs.size() &&
      std::memcmp(first.outputs.data(), packed->outputs.data(), packed->outputs.size()) == 0)
    return true;
  r.findings.push_back(DependsOnMemory(
      tiling, OtherBytes(tiling, host_) +
                  " of the tiling data are others, and the kernel computes something else"));
  const RunOutcome outcome = OutcomeOf(r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
  return false;
}

}  // namespace akgen::judge
