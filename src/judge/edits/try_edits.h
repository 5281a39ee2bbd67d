// Which edits make findings go away: each guess (propose.h) is applied to a copy of the project and
// judged.
#pragma once
#include <string>

#include "judge/run/executor.h"
#include "judge/session/judgement.h"
#include "judge/session/options.h"
#include "task/reference_client.h"

namespace akgen::judge {

// Fills `edits` of the findings of `judgement`, which is Judge::Run(dir, task, options)'s. Those of
// a finding are such that every case that had it, judged again on the same inputs, builds, has it
// no longer, has no finding that it did not have, and has no worse a verdict; of several those are
// taken with which the cases pass. At most kMaxTrials guesses are judged; the sources themselves
// are left alone.
inline constexpr int kMaxTrials = 96;
void FindEdits(Executor& executor, task::ReferenceClient& reference, const std::string& dir,
               const task::TaskSpec& task, const Options& options, Judgement& judgement);

}  // namespace akgen::judge
