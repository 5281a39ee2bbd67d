// Tiles a case, builds its kernel and runs it.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "judge/run/pack.h"
#include "judge/session/case_run.h"
#include "judge/session/host_side.h"
#include "judge/session/state.h"
#include "runner/process/runner_request.h"

namespace akgen::judge {

class CaseRunner {
 public:
  CaseRunner(SessionState& state, HostSide& host) : state_(state), host_(host) {}

  // Another case, with all of its time left.
  void Begin(bool in_range) { in_range_ = in_range, case_ms_ = 0; }
  // The kernel for one case, with the tiling key 0 where it is a template.
  toolchain::BuildReply BuildKernelFor(const task::CaseDesc& c);
  // Fills `tiling` and `object`. False, as below: the result says what is wrong.
  bool TileAndBuild(CaseRun& run);
  // `scale`: of a run that stands for a larger one (TimeOptions::scale); 0: of one that does not.
  bool Execute(CaseRun& run, const Packed& packed, double scale = 0);
  // One more true run, without checks; `how` makes of its request what it is about.
  std::optional<sim::RunReply> RunAgain(const CaseRun& run, const Packed& packed,
                                        const std::function<void(sim::RunRequest&)>& how);
  base::Result<sim::RunRequest> RequestFor(const Packed& packed, const TileReply& tiling,
                                           double scale = 0) const;
  const sim::RunReply& latest() const { return latest_; }  // what Execute was answered
  const std::set<size_t>& read() const { return read_; }   // inputs that some case read

 private:
  toolchain::BuildRequest KernelRequest(const std::string& prelude) const;
  base::Result<toolchain::BuildReply> BuildWith(std::string* prelude);
  bool BuildKernel(CaseRun& run, uint64_t tiling_key);
  bool Tile(CaseRun& run);
  void BlameTiling(CaseRun& run);
  void Note(CaseRun& run, const sim::RunReply& reply);
  bool KeepsTheRules(CaseRun& run, uint64_t digest, const sim::RunReply& reply);
  // What all that runs the candidate for one case may still take on the clock, in milliseconds.
  int ClockLeft() const {
    return int(state_.options.run_timeout_ms * runner::kGuestPatience - case_ms_);
  }

  SessionState& state_;
  HostSide& host_;
  struct Kernel {
    toolchain::BuildReply built;
    std::string prelude;  // that it was built with in the end
  };
  std::map<std::string, Kernel> kernels_;  // by the prelude that was wanted
  bool in_range_ = false;                  // the case is one of the range group
  double case_ms_ = 0;                     // that the candidate has taken of its case
  sim::RunReply latest_;
  std::set<size_t> read_;
};

}  // namespace akgen::judge
