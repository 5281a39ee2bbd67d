// What OpenAI's clients ask of a model, and what they are told: /v1/chat/completions and
// /v1/completions as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "generate/model.h"
#include "serve/router.h"

namespace akgen::serve {

struct Completion {
  bool chat = true;
  std::vector<generate::Request> requests;  // one for each prompt, n answers each
  bool stream = false, usage = false;       // in parts; with the tokens at the end of them
};
// AK0902: a member has another type, makes no sense, or asks for what there is not (tools,
// logprobs, penalties).
base::Result<Completion> ReadCompletion(const base::Json& body, bool chat);

struct CompletionName {
  std::string id, model;
  int64_t created = 0;  // seconds of the epoch
};
// `answers`: of all requests, in order.
base::Json CompletionJson(const CompletionName& name, bool chat,
                          const std::vector<generate::Answer>& answers);
// The same as server-sent events, `[DONE]` at the end.
std::vector<std::string> CompletionEvents(const CompletionName& name, const Completion& asked,
                                          const std::vector<generate::Answer>& answers);
// {"error": {"message", "type", "param", "code"}}
Response CompletionError(int status, const base::Error& error);

}  // namespace akgen::serve
