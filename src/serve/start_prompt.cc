// The prompt `start`: the way from nothing to a kernel that passes, in calls of the tools.
#include <fmt/core.h>

#include "base/fields.h"
#include "serve/resources.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr const char* kAscendCSteps =
    "3. `skeleton` with the task: a project that builds, path to content. Keep its op_host file; "
    "its tiling hands the "
    "kernel every shape and attribute.\n"
    "4. `api_card` with the task: how the functions are called. Its `examples` are whole op_kernel "
    "files over this "
    "host side: take over what fits, put in the function that the task needs (`api_card` with a "
    "function's name says "
    "which dtypes it takes), and name the parameters and the entry as the skeleton does.\n"
    "5. `judge` with the task, `files` (the skeleton's paths, with your op_kernel file in its "
    "place) and `cases` "
    "[\"0\"]; when it passes, `judge` without `cases`.\n";

constexpr const char* kProgramSteps =
    "3. Read the resource akgen://language, and write a program: a @kernel and a @host function "
    "that is called `op` "
    "and takes the task's inputs and attributes in their order.\n"
    "4. `validate_program` with the program until it is ok; each error names its line and what to "
    "do.\n"
    "5. `judge` with the task, `text` (the program), `form` \"program\" and `cases` [\"0\"]; when "
    "it passes, `judge` "
    "without `cases`.\n";

constexpr const char* kLoop =
    "\nWhen it does not pass: `verdict` says how far it came. A build error names the line. A "
    "finding names the line, "
    "the fix in words, and with `edits` true changes that were tried; `explain_finding` has the "
    "page of its code. "
    "Change one thing, then `judge` again. When everything passes, `profile` says what limits the "
    "time. "
    "akgen://guide has all of this in detail.\n";

struct StartArguments {
  std::string task;  // "": the first step is to choose one
  std::string form = "ascend_c";

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("task", m.task);
    io.Field("form", m.form);
  }
};

Json Argument(const char* name, const char* description) {
  return {{"name", name}, {"description", description}, {"required", false}};
}
}  // namespace

Json ListPrompts() {
  return Json::array(
      {{{"name", "start"},
        {"title", "Write a kernel that passes"},
        {"description",
         "Begin here: the steps from a task to a kernel that passes, with the tools to "
         "call."},
        {"arguments",
         {Argument("task", "a name of list_tasks; without it the first step is to choose"),
          Argument("form", "ascend_c (default), or program: the kernel language")}}}});
}

Result<Json> GetPrompt(const Service& service, const std::string& name, const Json& arguments) {
  if (name != "start")
    return Error{"AK0902", "there is no such prompt", name.substr(0, 100),
                 "prompts/list lists them"};
  for (const auto& [key, value] : arguments.items())
    if ((key != "task" && key != "form") || !value.is_string())
      return Error{"AK0902", "the prompt takes texts named task and form", key.substr(0, 100),
                   "leave it out"};
  const auto [wanted, form] =
      base::MessageFromJson<StartArguments>(arguments.is_object() ? arguments : Json::object());
  if (form != "ascend_c" && form != "program")
    return Error{"AK0902", "form is ascend_c or program", form.substr(0, 100),
                 "leave it out: ascend_c"};
  std::string first = "1. `list_tasks`: choose a task; level 1 is the easiest.\n";
  if (!wanted.empty()) {
    auto task = service.Task(wanted);
    if (!task.ok()) return task.error();
    first = "1. The task is " + task->name + ".\n";
  }
  const std::string text =
      "Write a kernel for an Ascend NPU. akgen judges it on a simulated chip, in a second: it must "
      "build, break no "
      "rule "
      "of the hardware, and compute what the reference computes, for shapes that you do not see as "
      "well.\n\n" +
      first +
      "2. `show_task` with its name: parameters, dtypes and shapes of the cases, the reference in "
      "PyTorch.\n" +
      (form == "program" ? kProgramSteps : kAscendCSteps) + kLoop;
  return Json{{"description", "From a task to a kernel that passes"},
              {"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", text}}}}}}};
}

}  // namespace akgen::serve
