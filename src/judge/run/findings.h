// Findings and modelled time of a run, with source lines in place of addresses.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "judge/run/executor.h"
#include "record/verdict.h"

namespace akgen::judge {

// `so`: the object that the addresses lie in.
std::vector<record::Finding> NameFindings(Executor& executor, const std::string& so,
                                          const std::vector<sim::RunFinding>& findings);

// The lines of the candidate's own sources among the sites, each once.
std::vector<toolchain::SourceLine> NameSites(Executor& executor, const std::string& so,
                                             const std::vector<std::vector<uint64_t>>& sites);

// The `modelled` of a run's reply with its "sites" as {"file", "line"} of the candidate's own
// source in place of addresses in `so`; {"trace_cut": true} when the launch issued more than a
// trace holds; {"unmodelled": why} when the kernel uses what has no modelled time;
// {"scalar_unpriced": true} when the builder does not count scalar work; null when nobody asked.
base::Json NameModelled(Executor& executor, const std::string& so, const sim::RunReply& reply);

// What a run's status means: ok (nullopt-like kPass), or the verdict and the reason.
struct RunOutcome {
  record::Verdict verdict = record::Verdict::kPass;
  std::string reason;
};
// Parses the reply of a process that ran a candidate's code. A reply that is not of the chip's form
// is the candidate's runtime error; it ends this step and nothing else.
template <class F>
RunOutcome TakenApart(F&& step) {
  try {
    step();
    return {};
  } catch (const base::Json::exception& e) {
    return {
        record::Verdict::kRuntimeError,
        std::string("the process that ran the candidate answered what the chip never answers: ") +
            e.what()};
  }
}
// By the status of a reply and its detail.
RunOutcome OutcomeOf(const std::string& status, const std::string& detail,
                     const std::vector<record::Finding>& findings);
// What the findings of a run that came to its end mean: kFinding by the first that decides,
// kUndecided when a check was inconclusive, else kPass.
RunOutcome OutcomeOf(const std::vector<record::Finding>& findings);

}  // namespace akgen::judge
