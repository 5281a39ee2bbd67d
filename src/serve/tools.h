// What agents may ask the server to do, by name: MCP's tools. Each is a thin handler over the
// service.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/router.h"
#include "serve/service.h"

namespace akgen::serve {

struct ToolResult {
  base::Json content;   // an object that the tool's output schema allows; of an error {"error": as
                        // ErrorReply says it}
  bool failed = false;  // the tool could not do its work. A kernel that is refused is a result.
};
ToolResult ToolError(const base::Error& error, bool retryable = false);
ToolResult ToolErrorOf(const Answer& answer);  // of one that is not kDone

struct ToolCall {
  base::Json arguments;
  Caller caller;
  std::shared_ptr<Presence> presence;                // leaving ends the judgement
  std::function<void(const std::string&)> progress;  // what happens now; may be empty
};
using ToolReply = std::function<void(ToolResult)>;  // once, by any thread

struct Tool {
  std::string name, title, description;
  base::Json input, output;  // schemas; arguments are checked by `input` before `call`
  bool quick = false;        // reads what there is; judges nothing
  std::function<void(Service&, const ToolCall&, const ToolReply&)> call;
};

// `local`: whoever asks is on this machine and may name folders of it. Both lists are in the order
// they are shown.
std::vector<Tool> JudgingTools(bool local);  // judge, run, profile, mutate_check
// list_tasks, show_task, skeleton, explain_finding, validate_program, lower_program, api_card
std::vector<Tool> ReadingTools();

}  // namespace akgen::serve
