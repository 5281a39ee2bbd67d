// What requests say about a job: the members that all protocols of ours have in common.
#pragma once
#include "serve/router.h"
#include "serve/service.h"

namespace akgen::serve {

// A candidate's form by what it holds: the kernel language, a kernel with its host side, or a
// kernel alone.
Form GuessForm(const std::string& text);

// {"task", "files": {path: content} | "text", "form": "project"|"kernel"|"program"|"auto"
// (GuessForm), "cases", "chip", "precision",
//  "seed": NUMBER|"fresh", "hidden", "time", "timeline", "profile", "edits", "project", "priority",
//  "deadline_ms", "cache"}
// AK0902 a member is not known or not of its type; AK0014.
base::Result<Submission> ReadSubmission(const base::Json& body, const Caller& caller);
std::optional<Form> FormFromName(std::string_view name);  // project, kernel, program
base::Json ToJson(const Submission& submission);  // of a JudgeWork: what ReadSubmission reads; all
                                                  // but caller and key
// As the journal keeps one, which names the principal elsewhere: {"submission", "name"}, of the
// caller.
base::Json KeptToJson(const Submission& submission);
base::Result<Submission> KeptFromJson(const base::Json& kept, const std::string& principal);
// Many in one request, {"requests": [at most 10000]}, each with what it says of itself. AK0902: it
// is none.
base::Result<std::vector<base::Result<Submission>>> BatchFromJson(const base::Json& body,
                                                                  const Caller& caller);
// The same of a request's body, with the header Idempotency-Key.
base::Result<Submission> ReadSubmission(const Request& request);
base::Result<base::Json> ReadBody(const Request& request);  // AK0902: no JSON object

// {"id", "verdict", "reason", "reward", "sealed", "cached", "queued_ms", "judged_ms", "retryable",
// "feedback", "record"}, and "profiles" where they were asked for; the reward is null where there
// must be none.
base::Json ToReply(const Answer& answer);
// As /v1/judge replies: 200 with ToReply, 503 for infra_error, else EndingReply.
Response ReplyOf(const Answer& answer);

}  // namespace akgen::serve
