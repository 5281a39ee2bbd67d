#include "judge/session/other_orders.h"

#include "base/seed.h"
#include "judge/run/findings.h"
#include "judge/session/compare.h"
#include "sim/check/checks.h"

namespace akgen::judge {
using record::Verdict;

namespace {
// Two of the extreme orders, in which results leave late and in which copies lag behind, and
// further ones that nobody knew when the kernel was written: they are drawn from the seed of its
// inputs.
std::vector<uint64_t> OrdersFor(uint64_t seed, int count) {
  constexpr uint64_t kExtreme[] = {2, 4};
  constexpr uint64_t kFirstDrawn = 7;  // sim/exec/schedule.h
  std::vector<uint64_t> orders;
  for (int i = 0; i < count; ++i)
    orders.push_back(i < 2 ? kExtreme[i]
                           : kFirstDrawn + base::DerivedSeed(seed, uint64_t(i)) % 1000000);
  return orders;
}

record::Finding DependsOnOrder(uint64_t order, const std::string& how) {
  record::Finding f;
  f.code = "AK1204";
  f.check = "racecheck";
  f.message = "under another legal order of pipes and blocks (--schedule " + std::to_string(order) +
              ") " + how;
  f.fix =
      "set a cross-core flag on the pipe whose work it hands over, after that work, and wait for "
      "it before the data "
      "is read; blocks may start and go on in any order";
  return f;
}

// What one more true run says; nothing when it is as good as the first. One that does not come to
// its end decides about the case.
std::string UnderOrder(SessionState& state, CaseRunner& runner, uint64_t order, CaseRun& run) {
  CaseResult& r = run.result;
  auto packed = Pack(state.op, run.desc, run.inputs, run.tiling.need_atomic);
  if (!packed.ok()) return "";
  const auto reply = runner.RunAgain(run, *packed, [&](sim::RunRequest& request) {
    request.schedule = order;
    request.hash = true;
  });
  if (!reply) return "";
  if (reply->status == "deadlock") return "blocks wait for each other for ever: " + reply->detail;
  if (reply->status == "crash")
    return "the kernel dereferences an invalid pointer (" + reply->detail + ")";
  if (reply->status == "stopped") return "the kernel stops: " + reply->detail;
  if (reply->status == "timeout" || reply->status == "error") {
    r.verdict = OutcomeOf(reply->status, reply->detail, {}).verdict;
    r.reason = "under another legal order of pipes and blocks (--schedule " +
               std::to_string(order) + "): " + reply->detail;
  }
  if (reply->status != "ok" || reply->hash == r.hash) return "";
  CaseResult again;
  CompareOutputs(state, run, *packed, again);
  return again.verdict == Verdict::kWrongAnswer ? again.reason : "";
}
}  // namespace

void TryOtherOrders(SessionState& state, CaseRunner& runner, CaseRun& run) {
  CaseResult& r = run.result;
  if (r.hash.empty() || state.options.schedule || !sim::ChecksFromJson(state.options.checks).race)
    return;
  for (uint64_t order : OrdersFor(state.seed, state.options.orders)) {
    std::string how;
    r.orders.push_back(order);
    if (auto odd = TakenApart([&] { how = UnderOrder(state, runner, order, run); });
        odd.verdict != Verdict::kPass)
      how = odd.reason;
    if (!how.empty()) return r.findings.push_back(DependsOnOrder(order, how));
    if (r.verdict != Verdict::kPass) return;
  }
}

}  // namespace akgen::judge
