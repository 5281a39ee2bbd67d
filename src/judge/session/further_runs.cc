#include "judge/session/further_runs.h"

#include <cstring>

#include "judge/host/tiling_again.h"
#include "judge/run/findings.h"
#include "judge/session/compare.h"

namespace akgen::judge {
using record::Verdict;

void BlameImprecise(SessionState& state, CaseRunner& runner, CaseRun& run) {
  CaseResult& r = run.result;
  if (r.verdict != Verdict::kWrongAnswer || !r.arithmetic.contains("imprecise")) return;
  auto packed = Pack(state.op, run.desc, run.inputs, run.tiling.need_atomic);
  if (!packed.ok()) return;
  const auto reply =
      runner.RunAgain(run, *packed, [](sim::RunRequest& request) { request.exact = true; });
  if (!reply || reply->status != "ok") return;
  CaseResult exact;
  CompareOutputs(state, run, *packed, exact);
  if (exact.verdict != Verdict::kPass) return;
  for (record::Finding& f : NameFindings(state.executor, run.object, reply->findings)) {
    if (f.code != "AK1507") continue;
    r.reason = f.code + ": " + f.message + "; " + r.reason;
    r.findings.push_back(std::move(f));
  }
}

// The kernel may leave the bytes that differ alone, as it does with padding: then they make no
// difference to it.
bool SameWithOtherTiling(SessionState& state, CaseRunner& runner, CaseRun& run,
                         const Packed& first) {
  const TileReply& tiling = run.tiling;
  CaseResult& r = run.result;
  if (tiling.other.empty()) return true;
  auto packed = Pack(state.op, run.desc, run.inputs, run.tiling.need_atomic);
  if (!packed.ok())
    return r.reason = packed.error().message, r.verdict = Verdict::kInfraError, false;
  CaseRun again = run;
  again.tiling.tiling = tiling.other[0].tiling;
  const auto reply = runner.RunAgain(again, *packed, [](sim::RunRequest&) {});
  if (reply && reply->status == "error") {
    r.verdict = Verdict::kInfraError;
    r.reason = reply->detail;
    return false;
  }
  if (reply && reply->status == "ok" && first.outputs.size() == packed->outputs.size() &&
      std::memcmp(first.outputs.data(), packed->outputs.data(), packed->outputs.size()) == 0)
    return true;
  r.findings.push_back(DependsOnMemory(
      tiling, OtherBytes(tiling, state.host) +
                  " of the tiling data are others, and the kernel computes something else"));
  const RunOutcome outcome = OutcomeOf(r.findings);
  r.verdict = outcome.verdict;
  r.reason = outcome.reason;
  return false;
}

}  // namespace akgen::judge
