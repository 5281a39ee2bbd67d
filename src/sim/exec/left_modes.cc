#include "sim/exec/left_modes.h"

#include "sim/exec/launch_state.h"

namespace akgen::sim {
namespace {
std::pair<CoreKind, uint32_t> PlaceOf(const Core& core) {
  const uint32_t cores = core.cube() ? core.chip().aic_cores : core.chip().aiv_cores;
  return {core.kind(), IndexOf(core) % std::max(1u, cores)};
}
}  // namespace

void LeftModes::Save(const Core& core) {
  const Registers& r = core.registers;
  of_[PlaceOf(core)] = {r.issue, r.ctrl, core.findings.SiteAt(r.atomic_site),
                        core.findings.SiteAt(r.counter_site)};
}

void LeftModes::Load(Core& core) const {
  const auto found = of_.find(PlaceOf(core));
  if (found == of_.end()) return;
  const Left& left = found->second;
  Registers& r = core.registers;
  IssueState& to = r.issue;
  to.mask[0] = left.issue.mask[0], to.mask[1] = left.issue.mask[1];
  to.counter = to.counter_left = left.issue.counter;
  to.atomic_op = left.issue.atomic_op, to.atomic_type = left.issue.atomic_type;
  to.atomic_left = to.atomic_op != 0;
  to.saturate = left.issue.saturate, to.truncate = left.issue.truncate;
  r.ctrl = left.ctrl;
  r.atomic_site = core.findings.sites().Intern(left.atomic);
  r.counter_site = core.findings.sites().Intern(left.counter);
}

void ReportLeftMode(Core& core, uint32_t switched_on, const char* mode, const char* instruction,
                    const char* does) {
  if (!core.watch.sync.on()) return;
  const uint32_t user = std::exchange(core.now.site, switched_on);
  core.findings.OtherSide(user, "an instruction of a later launch", core.now.pipe);
  core.findings.Report(FindingKind::kModeLeftOn,
                       std::string(mode) + " left on by an earlier launch: " + instruction +
                           " of a kernel without TPipe and InitSocState " + does);
  core.now.site = user;
}

}  // namespace akgen::sim
