#include "sim/launch/end_checks.h"

#include <string>

namespace akgen::sim {

// The counters of cross-core flags outlive a kernel, so the next one's first wait would pass too
// early.
void CheckCrossFlags(LaunchState& l) {
  if (l.result->status != "ok") return;
  for (uint32_t b = 0; b < l.cross.size(); ++b)
    for (uint32_t id = 0; id < kCrossFlags; ++id) {
      const CrossFlag& flag = l.cross[b][id];
      if (!flag.standing()) continue;
      RawFinding f;
      f.kind = FindingKind::kCrossCoreFlagLeftSet;
      f.message = "cross-core flag " + std::to_string(id) + " of block " + std::to_string(b) +
                  " is still set when the launch ends" +
                  (flag.raised.count()
                       ? ": " + std::to_string(flag.raised.count()) + " set(s) without a wait"
                       : ": not every block has set it") +
                  "; the next kernel inherits it";
      f.site = l.log.sites()[flag.site];
      f.pipe = PipeName(flag.pipe);
      f.block = int(b);
      f.warning = true;
      l.log.Add(std::move(f));
    }
}

// A turn is for every block: where one leaves its own out, the next launch's first block waits for
// it.
void CheckTurns(LaunchState& l) {
  if (l.result->status != "ok" || !l.request->checks.memory || l.det_next % l.request->blocks == 0)
    return;
  RawFinding f;
  f.kind = FindingKind::kBrokenRule;
  f.message = "NotifyNextBlock was called " + std::to_string(l.det_next) +
              " times, not equally often by all " + std::to_string(l.request->blocks) + " blocks";
  f.site = l.log.sites()[l.det_site];
  f.pipe = PipeName(AKGEN_PIPE_S);
  f.warning = true;
  l.log.Add(std::move(f));
}

// A kernel whose Cube half is left out by mistake computes nothing there, and its output may be
// right by chance.
void CheckIdleCube(LaunchState& l) {
  if (l.result->status != "ok" || !l.log.all().empty() || !l.request->cores.cube || l.cube_worked)
    return;
  RawFinding f;
  f.kind = FindingKind::kBadLaunch;
  f.message = "the kernel's type starts Cube cores, and none of them has done anything";
  f.fix = "name a type without Cube cores, or call what they are to do on them";
  f.warning = true;
  l.log.Add(std::move(f));
}

}  // namespace akgen::sim
