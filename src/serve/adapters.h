// What the handlers of other people's protocols have in common.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "serve/router.h"
#include "serve/service.h"

namespace akgen::serve {

base::Json ToJson(const task::TaskInfo& task);  // {"name", "level", "category"}
// The same, and "entry", "description", "reference", "cases".
base::Json ToJson(const task::TaskSpec& task);

// An answer's text against a task.
Submission TextSubmission(std::string task, std::string text, const Caller& caller);
// Judges all of them, and calls `then` once with the answers in order; what is an error is answered
// as kInvalid. When the request's other side leaves, all are cancelled.
void JudgeAll(Service& service, const Request& request,
              std::vector<base::Result<Submission>> submissions,
              std::function<void(std::vector<Answer>)> then);

// Of an answer without a reward: as EndingReply, but 503 where a limit went by, which trainers'
// clients ask for again.
Response UnrewardedReply(const Answer& answer);

// What a model may read about its answer: the verdict, diagnostics of the build, findings. No value
// that the next try is compared with, and no line of the reference. Empty for a pass.
std::string FeedbackOf(const Answer& answer);
// Did it compile; are all its numbers right? Of answers that have a reward.
bool Compiled(const Answer& answer);
bool Correct(const Answer& answer);

}  // namespace akgen::serve
