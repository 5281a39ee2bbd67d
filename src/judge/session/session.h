// One judgement: the candidate's halves are built, each case is tiled, run and compared.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "judge/session/case_runner.h"
#include "judge/session/host_side.h"
#include "judge/session/state.h"

namespace akgen::judge {

class Session {
 public:
  Session(Executor& e, task::ReferenceClient& ref, const task::TaskSpec& t, const Options& o)
      : state_(e, ref, t, o), host_side_(state_), runner_(state_, host_side_) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Judgement Run(const std::string& dir);
  // Builds the host side and describes it, no more. The judgement says what went wrong; its verdict
  // is `pass` if nothing.
  Judgement Describe(const std::string& dir);
  const Description& host() const { return state_.host; }
  const OperatorDefinition& op() const { return state_.op; }
  const std::string& host_object() const { return state_.host_object; }
  const toolchain::Project& project() const { return state_.project; }
  // The kernel for one case, with the tiling key 0 where it is a template.
  toolchain::BuildReply BuildKernelFor(const task::CaseDesc& c) {
    return runner_.BuildKernelFor(c);
  }
  std::string HostKey(const std::string& dir) { return host_side_.Key(dir); }

 private:
  bool Prepare(const std::string& dir);
  std::optional<std::vector<const task::CaseRow*>> Rows();
  // The first case that took longer than it may; those behind it are not run.
  const CaseResult* RanOut() const;
  void RunCase(const task::CaseRow& row, CaseResult& r);
  void BlameTask(const base::Error& e, CaseResult& r);
  void JudgeDefinition(CaseRun& run);
  void LookForUnread(const std::vector<const task::CaseRow*>& rows);
  // After `before` of `all` cases.
  void RunRows(const std::vector<const task::CaseRow*>& rows, size_t before, size_t all);
  void RunRange();
  void Summarise();

  SessionState state_;
  HostSide host_side_;
  CaseRunner runner_;
  std::optional<std::vector<record::Finding>> definition_;  // faults of it, the same in all cases
  std::vector<task::CaseRow> range_;                        // cases of the range group
};

}  // namespace akgen::judge
