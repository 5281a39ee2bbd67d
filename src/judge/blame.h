// Whose fault: what an answer, or the lack of one, of a helper process means for the candidate.
#pragma once
#include <string>

#include "base/status.h"
#include "record/verdict.h"
#include "toolchain/build.h"

namespace akgen::judge {

// Of a build that failed.
record::Verdict VerdictOf(const toolchain::BuildReply& failed);
std::string ReasonOf(const toolchain::BuildReply& failed);
// Of a helper that gave no answer.
record::Verdict VerdictOf(const base::Error& helper);

// Would another machine, or this one at another hour, say the same? Not when the compiler ran out of time or memory.
bool Repeatable(const toolchain::BuildReply& reply);
// Not these verdicts: they depend on the load, the size and the state of the machine.
bool Repeatable(record::Verdict verdict);

}  // namespace akgen::judge
