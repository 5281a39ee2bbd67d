#include "sim/exec/polling.h"

#include <utility>

#include "sim/exec/launch_state.h"

namespace akgen::sim {
namespace {
constexpr uint64_t kMaxReads = 20'000'000;  // a few seconds
constexpr uint64_t kReadsOfACopy = 20;
constexpr uint32_t kLoadsOfATurn =
    1 << 12;  // of one place, with no call into the chip between: a loop that waits

bool Same(const AkgenCopy& a, const AkgenCopy& b) {
  return a.kind == b.kind && a.src == b.src && a.block_count == b.block_count &&
         a.block_len == b.block_len && a.src_stride == b.src_stride;
}
}  // namespace

void LetOthersRun(uint64_t reads) {
  LaunchState& l = *g_launch;
  if (UnitsOf(*l.request) < 2) return;
  Core& c = *g_core;
  c.pace.CatchUp();
  l.polls += reads;
  if (l.polls > kMaxReads) {
    c.AtScalar();
    c.findings.Report(FindingKind::kDeadlock,
                      "the block waits for a value in GM that no block ever writes");
    StopLaunch("deadlock", "waiting for a value in GM");
  }
  ++c.cross.waits_done;
  YieldBlock();
}

void BeforeCopy(const AkgenCopy& copy) {
  Polling& p = g_core->cross.polling;
  const AkgenCopy last = std::exchange(p.copy, copy);
  const bool again = copy.kind == AKGEN_GM_TO_UB && Same(copy, last);
  if (!again) {
    g_launch->polls = 0;
    return;
  }
  const Region* r = Gm().Find(copy.src);
  if (!r || !r->writable() || uint64_t{copy.block_count} * copy.block_len > kMaxOfFlags) return;
  const auto* at = static_cast<const uint8_t*>(copy.src);
  for (uint32_t i = 0; i < copy.block_count; ++i)
    g_launch->shared.polled.insert(at + int64_t(i) * (int64_t{copy.block_len} + copy.src_stride));
  LetOthersRun(kReadsOfACopy);
}

void BeforeGmAccess(const Access& access) {
  Polling& p = g_core->cross.polling;
  if (access.write || access.at != p.loaded || g_core->now.calls != p.calls) {
    p.loaded = access.write ? nullptr : access.at;
    p.calls = g_core->now.calls;
    p.loads = 0;
  }
  if (++p.loads % kLoadsOfATurn == 0) LetOthersRun(kLoadsOfATurn);
}

}  // namespace akgen::sim
