// State of one judgement: the candidate's halves are built, each case is tiled, run and compared.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chip/chip.h"
#include "judge/run/executor.h"
#include "judge/run/pack.h"
#include "judge/session/judgement.h"
#include "judge/session/options.h"
#include "judge/session/rules.h"
#include "runner/process/runner_request.h"
#include "runner/runner_client.h"
#include "task/compare.h"
#include "task/range_case.h"
#include "task/strict_case.h"
#include "toolchain/build_options.h"
#include "toolchain/project.h"
#include "toolchain/repository.h"

namespace akgen::judge {

class Session {
 public:
  Session(Executor& e, task::ReferenceClient& ref, const task::TaskSpec& t, const Options& o)
      : executor_(e), reference_(ref), task_(t), options_(o) {}

  Judgement Run(const std::string& dir);
  // Builds the host side and describes it, no more. The judgement says what went wrong; its verdict
  // is `pass` if nothing.
  Judgement Describe(const std::string& dir);
  const Description& host() const { return host_; }
  const OperatorDefinition& op() const { return op_; }
  const std::string& host_object() const { return host_so_; }
  const toolchain::Project& project() const { return project_; }
  // The kernel for one case, with the tiling key 0 where it is a template.
  toolchain::BuildReply BuildKernelFor(const task::CaseDesc& c);
  std::string HostKey(const std::string& dir);

 private:
  bool Prepare(const std::string& dir);
  bool HostRequest(toolchain::BuildRequest& request);
  bool HostDoesNotBuild(const toolchain::BuildReply& reply);
  bool AddLibraries();
  bool LeaveOtherChipsOut();
  bool LinkOtherChips();
  base::Result<toolchain::BuildReply> BuildHostSources();
  bool LoadHost();
  toolchain::Around Around() const {
    return {options_.repository, options_.with_sources, options_.include_dirs};
  }
  bool HasCollectives() const;
  bool BuildHost();
  bool ReadDefinition();
  void TakeBuildOptions();
  std::optional<std::vector<const task::CaseRow*>> Rows();
  bool Stop(record::Verdict v, std::string reason) {
    out_.verdict = v;
    out_.reason = std::move(reason);
    return false;
  }
  bool Refuse(const Breach& breach) {
    out_.diagnostics.push_back(breach.AsDiagnostic());
    return Stop(record::Verdict::kRejected, breach.code + ": " + breach.message);
  }
  void Refuse(const Breach& breach, CaseResult& r);
  void AddBuild(const toolchain::BuildReply& reply);
  // On a real device: values and time count, and what the chip alone finds is left to it.
  bool OnNpu() const { return options_.backend == record::Backend::kNpu; }
  // A machine with more memory might have gone on.
  // The first case that took longer than it may; those behind it are not run.
  const CaseResult* RanOut() const;
  // What all that runs the candidate for one case may still take on the clock, in milliseconds.
  int ClockLeft() const { return int(options_.run_timeout_ms * runner::kGuestPatience - case_ms_); }
  void NoteMemory(const std::string& status) {
    out_.repeatable = out_.repeatable && status != "memory";
  }
  bool KeepsTheRules(const task::CaseDesc& c, const task::TensorSet& inputs, uint64_t digest,
                     const sim::RunReply& reply, CaseResult& r);
  void RunCase(const task::CaseRow& row, CaseResult& r);
  void BlameTask(const base::Error& e, CaseResult& r);
  void JudgeDefinition(const task::CaseDesc& c, const TileReply& tiling, CaseResult& r);
  // A case too large to run (session_full_shape.cc).
  struct FullShape;
  void JudgeTooLarge(const task::CaseRow& row, const task::CaseDesc& c, CaseResult& r);
  std::string AtFullShape(const task::CaseRow& row, FullShape& f, CaseResult& r);
  std::string MakeRows(const task::CaseRow& row, FullShape& f);
  std::string RunFewRows(FullShape& f);
  std::string RunBlocks(FullShape& f, const std::vector<uint32_t>& blocks, CaseResult& r);
  std::string FindWriters(FullShape& f, CaseResult& r);
  std::string CompareBlocks(FullShape& f, CaseResult& r);
  std::string TimeFromSmaller(const task::CaseRow& row, const FullShape& f, CaseResult& r);
  toolchain::BuildRequest KernelRequest(const std::string& prelude) const;
  base::Result<toolchain::BuildReply> BuildWith(std::string* prelude);
  bool BuildKernel(const task::CaseDesc& c, uint64_t tiling_key, CaseResult& r, std::string& so);
  bool TileAndBuild(const task::CaseDesc& c, const task::TensorSet& inputs, CaseResult& r,
                    TileReply& tiling, std::string& so);
  bool Tile(const task::CaseDesc& c, const task::TensorSet& inputs, CaseResult& r,
            TileReply& tiling);
  // Of a tiling that said something else when it was called again (judge/host/tiling_again.h).
  bool SameWithOtherTiling(const task::CaseDesc& c, const std::string& so, const TileReply& tiling,
                           const task::TensorSet& inputs, const Packed& first, CaseResult& r);
  base::Result<sim::RunRequest> RequestFor(const Packed& packed, const TileReply& tiling) const;
  bool Execute(const task::CaseDesc& c, const std::string& so, const TileReply& tiling,
               const task::TensorSet& inputs, const Packed& packed, CaseResult& r);
  void Note(const task::CaseDesc& c, const std::string& so, const task::TensorSet& inputs,
            const sim::RunReply& reply, CaseResult& r);
  base::Result<task::Comparison> CompareOne(const task::CaseDesc& c, const task::TensorSet& inputs,
                                            const Packed& packed, const task::TensorSet& golden,
                                            size_t i, task::StrictCase& strict,
                                            task::RangeCase& range);
  void CompareOutputs(const task::CaseDesc& c, const task::TensorSet& inputs, const Packed& packed,
                      const task::TensorSet& golden, CaseResult& r);
  // One more true run, without checks; `how` makes of its request what it is about.
  std::optional<sim::RunReply> RunAgain(const std::string& so, const TileReply& tiling,
                                        const task::TensorSet& inputs, const Packed& packed,
                                        const std::function<void(sim::RunRequest&)>& how);
  void BlameImprecise(const task::CaseDesc& c, const std::string& so, const TileReply& tiling,
                      const task::TensorSet& inputs, const task::TensorSet& golden, CaseResult& r);
  std::string UnderOrder(uint64_t order, const task::CaseDesc& c, const std::string& so,
                         const TileReply& tiling, const task::TensorSet& inputs,
                         const task::TensorSet& golden, CaseResult& r);
  void TryOtherOrders(const task::CaseDesc& c, const std::string& so, const TileReply& tiling,
                      const task::TensorSet& inputs, const task::TensorSet& golden, CaseResult& r);
  void LookForUnread(const std::vector<const task::CaseRow*>& rows);
  // After `before` of `all` cases.
  void RunRows(const std::vector<const task::CaseRow*>& rows, size_t before, size_t all);
  void RunRange();
  void Summarise();

  Executor& executor_;
  task::ReferenceClient& reference_;
  const task::TaskSpec& task_;
  const Options& options_;
  Judgement out_;
  uint64_t seed_ = 0;
  chip::Chip chip_;
  toolchain::Project project_;
  toolchain::BuildRequest host_request_;
  std::string host_so_;
  std::vector<toolchain::BuildReply> libraries_;
  bool others_left_out_ =
      false;  // symbols that sources for other chips define are open; nothing has called one yet
  std::string not_built_;  // a symbol that nothing defines, and what kept its source from
                           // compiling; "": none
  Description host_;
  toolchain::BuildOptions build_options_;  // of the kernel, as the project's build files say
  bool auto_sync_ = true;                  // the same, or what was asked for
  OperatorDefinition op_;                  // of host_.ops
  std::optional<std::vector<record::Finding>> definition_;  // its faults, the same in all cases
  struct Kernel {
    toolchain::BuildReply built;
    std::string prelude;  // that it was built with in the end
  };
  std::map<std::string, Kernel> kernels_;  // by the prelude that was wanted
  bool in_range_ = false;                  // the case that runs is one of them
  std::vector<task::CaseRow> range_;       // cases of the range group
  double case_ms_ = 0;                     // that the candidate has taken of its case
  double scale_ = 0;                       // of a run that stands for a larger one
  sim::RunReply latest_;                   // what Execute was answered
  std::set<size_t> read_;                  // inputs that some case read
};

}  // namespace akgen::judge
