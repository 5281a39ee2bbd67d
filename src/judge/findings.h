// Findings of a run, with source lines in place of addresses.
#pragma once
#include <vector>

#include "base/json.h"
#include "record/verdict.h"
#include "toolchain/builder.h"

namespace akgen::judge {

// `findings`: the runner's records with "pcs"; `so`: the object they lie in.
std::vector<record::Finding> NameFindings(toolchain::Builder& builder, const std::string& so,
                                          const base::Json& findings);

// The lines of the candidate's own sources in the runner's "sites", each once.
std::vector<toolchain::SourceLine> NameSites(toolchain::Builder& builder, const std::string& so,
                                             const base::Json& sites);

// What a run's status means: ok (nullopt-like kPass), or the verdict and the reason.
struct RunOutcome {
  record::Verdict verdict = record::Verdict::kPass;
  std::string reason;
};
// Takes apart what a process answered that ran a candidate's code. An answer of another shape than the chip's is the
// candidate's runtime error; it ends this step and nothing else.
template <class F>
RunOutcome TakenApart(F&& step) {
  try {
    step();
    return {};
  } catch (const base::Json::exception& e) {
    return {record::Verdict::kRuntimeError,
            std::string("the process that ran the candidate answered what the chip never answers: ") + e.what()};
  }
}
RunOutcome OutcomeOf(const base::Json& reply, const std::vector<record::Finding>& findings);
// What the findings of a run that came to its end mean: kFinding by the first that decides, kUndecided when a check
// could not tell, else kPass.
RunOutcome OutcomeOf(const std::vector<record::Finding>& findings);

}  // namespace akgen::judge
