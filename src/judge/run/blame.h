// Attribution of failures: what an answer, or the lack of one, of a helper process means for the
// candidate.
#pragma once
#include <optional>
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "judge/run/findings.h"
#include "record/backend.h"
#include "record/verdict.h"
#include "toolchain/build.h"
#include "toolchain/repository.h"

namespace akgen::judge {

// Of a build that failed.
record::Verdict VerdictOf(const toolchain::BuildReply& failed);
std::string ReasonOf(const toolchain::BuildReply& failed);
// The same, with what the repository around the project lacks.
std::string ReasonOf(const toolchain::BuildReply& failed, const toolchain::Around& around);
// Of a process that ran a kernel and answered what the chip never answers: nothing but our own code
// runs a guest, so that is an internal error; else it is `native`.
record::Verdict VerdictOfBrokenRun(record::Backend backend, record::Verdict native);

// Of one symbol, before anything is loaded; nothing where a library of this machine defines it.
std::optional<std::string> WhyNotLoaded(const std::string& symbol);
// Of an object that names a symbol which nobody defines; nothing where a reply's status and detail
// say something else.
std::optional<RunOutcome> OutcomeOfLoading(const std::string& status, const std::string& detail);

// Would another machine, or this one at another hour, say the same? Not when the compiler ran out
// of time or memory.
bool Repeatable(const toolchain::BuildReply& reply);
// Not these verdicts: they depend on the load, the size and the state of the machine.
bool Repeatable(record::Verdict verdict);

}  // namespace akgen::judge
