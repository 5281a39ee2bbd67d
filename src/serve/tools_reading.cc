// Tools that need no judging process: tasks, pages of diagnostics, the kernel language, functions
// of Ascend C.
#include <algorithm>
#include <cctype>

#include "base/files.h"
#include "craft/craft.h"
#include "craft/interpret/probe.h"
#include "generate/api_text.h"
#include "judge/host/skeleton.h"
#include "serve/adapters.h"
#include "serve/resources.h"
#include "serve/schemas.h"
#include "serve/tool_arguments.h"
#include "serve/tools.h"

namespace akgen::serve {
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr size_t kMaxProgram = 256u << 10;

std::string InLowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool Holds(const std::string& text, const std::string& part) {
  return InLowerCase(text).find(InLowerCase(part)) != std::string::npos;
}

Result<Json> ToolListTasks(const Service& service, const Json& arguments) {
  const auto asked = ListTasksArgumentsFromJson(arguments);
  Json tasks = Json::array();
  for (const auto& t : service.Tasks()) {
    if (asked.level && *asked.level != t.level) continue;
    if (!Holds(t.category, asked.category) || !Holds(t.name, asked.contains)) continue;
    tasks.push_back(ToJson(t));
  }
  return Json{{"tasks", tasks}};
}

Result<Json> ToolShowTask(const Service& service, const Json& arguments) {
  auto task = service.Task(LookupArgumentsFromJson(arguments).task.value_or(""));
  if (!task.ok()) return task.error();
  return ToJson(*task);
}

Result<Json> ToolSkeleton(const Service& service, const Json& arguments) {
  auto task = service.Task(LookupArgumentsFromJson(arguments).task.value_or(""));
  if (!task.ok()) return task.error();
  auto files = judge::ProjectSkeleton(*task);
  if (!files.ok()) return files.error();
  const std::string kernel = "op_kernel/" + task->entry + ".cpp";
  return Json{{"task", task->name},
              {"entry", task->entry},
              {"kernel_file", kernel},
              {"files", *files},
              {"next", "Write the body of " + kernel +
                           ", then judge with these files; the host side can stay. api_card "
                           "with the task has the functions, and examples over this host side."}};
}

Result<Json> ToolExplain(const Service&, const Json& arguments) {
  const std::string code = LookupArgumentsFromJson(arguments).code;
  const bool plain =
      code.size() == 6 && code.starts_with("AK") &&
      std::all_of(code.begin() + 2, code.end(), [](unsigned char c) { return std::isdigit(c); });
  const Error unknown{"AK0901", "no page has this code", code,
                      "codes look like AK1201 and stand in findings and errors"};
  if (!plain) return unknown;
  auto page = base::ReadFile(base::HomeDir() / "docs/diagnostics" / (code + ".md"));
  if (!page.ok()) return unknown;
  const size_t title = page->find(": "), end = page->find('\n');
  return Json{{"code", code},
              {"title", title < end ? page->substr(title + 2, end - title - 2) : ""},
              {"text", *page}};
}

Result<craft::Compiled> CompiledOf(const ProgramArguments& asked) {
  auto target = craft::LoadTarget(asked.chip);
  if (!target.ok()) return target.error();
  craft::Compiled compiled = craft::Compile(asked.program, *target);
  if (compiled.diagnostics.empty()) craft::Probe(compiled, asked.program, compiled.diagnostics);
  return compiled;
}

Result<Json> ToolValidate(const Service&, const Json& arguments) {
  auto compiled = CompiledOf(ProgramArgumentsFromJson(arguments));
  if (!compiled.ok()) return compiled.error();
  return Json{{"ok", compiled->diagnostics.empty()},
              {"diagnostics", compiled->diagnostics.ToJson("program.py")}};
}

Result<Json> ToolLower(const Service&, const Json& arguments) {
  auto compiled = CompiledOf(ProgramArgumentsFromJson(arguments));
  if (!compiled.ok()) return compiled.error();
  Json out{{"ok", compiled->diagnostics.empty()},
           {"diagnostics", compiled->diagnostics.ToJson("program.py")},
           {"files", Json::object()}};
  if (compiled->diagnostics.empty()) out["files"] = craft::EmitProject(compiled->lowered);
  return out;
}

// Functions with the dtypes that the headers allow: those that are named, else all of a card's
// text.
Json FunctionsIn(const std::string& name, const std::string& text) {
  Json out = Json::array();
  for (const auto& [dtypes, functions] : generate::DtypesFromHeaders())
    for (const std::string& f : functions)
      if (name.empty() ? text.find("`" + f + "(") != std::string::npos ||
                             text.find("`" + f + "`") != std::string::npos
                       : InLowerCase(f) == InLowerCase(name))
        out.push_back({{"function", f}, {"dtypes", dtypes}});
  return out;
}

Result<Json> ToolApiCard(const Service& service, const Json& arguments) {
  const auto asked = LookupArgumentsFromJson(arguments);
  const std::string& name = asked.name;
  if (asked.task) {
    auto task = service.Task(*asked.task);
    if (!task.ok()) return task.error();
    auto text = generate::ApiText(*task);
    if (!text.ok()) return text.error();
    return Json{
        {"cards", {*text}}, {"functions", FunctionsIn("", *text)}, {"examples", ExampleKernels()}};
  }
  auto cards = generate::LoadCards();
  if (!cards.ok()) return cards.error();
  Json texts = Json::array();
  for (const auto& card : *cards) {
    const bool meant = std::any_of(card.when.begin(), card.when.end(), [&](const std::string& w) {
      return InLowerCase(w) == InLowerCase(name);
    });
    if (name.empty() ? card.when.empty() : meant || Holds(card.text, name))
      texts.push_back(card.text);
  }
  const Json functions = name.empty() ? Json::array() : FunctionsIn(name, "");
  if (!texts.empty() || !functions.empty()) {
    Json out{{"cards", texts}, {"functions", functions}};
    if (name.empty()) out["examples"] = ExampleKernels();
    return out;
  }
  std::vector<std::string> known;
  for (const auto& [dtypes, all] : generate::DtypesFromHeaders())
    known.insert(known.end(), all.begin(), all.end());
  const std::string near = craft::Nearest(name, known);
  return Error{"AK0901", "no card and no function has this name", name.substr(0, 100),
               near.empty()
                   ? "without a name the general cards are shown; a task's name shows what it needs"
                   : "did you mean " + near + "?"};
}

using Reading = Result<Json> (*)(const Service&, const Json&);

// Off the listener's thread, which others wait for.
auto Aside(Reading reading) {
  return [reading](Service& service, const ToolCall& call, const ToolReply& reply) {
    const bool taken = service.Aside([&service, reading, arguments = call.arguments, reply] {
      auto out = base::Checked("the arguments", [&] { return reading(service, arguments); });
      reply(out.ok() ? ToolResult{std::move(*out)} : ToolError(out.error()));
    });
    if (!taken)
      reply(ToolError({"AK0903", "the server has too much to do", "", "ask again later"}, true));
  };
}

Json ProgramInput() {
  const Json program = WithMaxLength(
      Typed(
          "string",
          "a program of the kernel language: @kernel and @host functions (docs/craft/language.md)"),
      kMaxProgram);
  return ObjectOf(
      {{"program", program}, {"chip", Typed("string", "SoC, as akgen judge --chip names it")}},
      {"program"});
}
}  // namespace

std::vector<Tool> ReadingTools() {
  const Json task = OpenObject(
      {{"name", Typed("string")}, {"level", Typed("integer")}, {"category", Typed("string")}},
      {"name", "level", "category"});
  const Json diagnostics = ListOf(Typed("object"), "code, line, column, message, fix");
  std::vector<Tool> out;
  auto add = [&](const char* name, const char* title, const char* description, Json input,
                 Json output, Reading call) {
    out.push_back(
        {name, title, description, std::move(input), std::move(output), true, Aside(call)});
  };
  add("list_tasks", "List the tasks",
      "Operator tasks that a kernel can be judged against. All arguments only filter.",
      ObjectOf({{"level", Typed("integer", "1: one operation, 2: a few, 3: larger")},
                {"category", Typed("string", "part of a category's name")},
                {"contains", Typed("string", "part of a task's name")}}),
      OpenObject({{"tasks", ListOf(task)}}, {"tasks"}), ToolListTasks);
  add("show_task", "Show a task",
      "What a task asks for: parameters, shapes and dtypes of all cases, how results are compared, "
      "and the reference "
      "in PyTorch.",
      ObjectOf({{"task", Typed("string", "a name of list_tasks")}}, {"task"}),
      OpenObject({{"name", Typed("string")},
                  {"description", Typed("string")},
                  {"reference", Typed("string")},
                  {"cases", ListOf(Typed("object"))}},
                 {"name", "description", "reference", "cases"}),
      ToolShowTask);
  add("skeleton", "A project to start from",
      "An Ascend C project for a task that builds: operator definition, tiling and a kernel whose "
      "body is to be "
      "written, with comments that say what the tiling hands it.",
      ObjectOf({{"task", Typed("string", "a name of list_tasks")}}, {"task"}),
      OpenObject({{"task", Typed("string")},
                  {"entry", Typed("string", "name of the kernel's function")},
                  {"kernel_file", Typed("string", "the one of `files` to write")},
                  {"files", {{"type", "object"}, {"additionalProperties", Typed("string")}}},
                  {"next", Typed("string")}},
                 {"task", "entry", "kernel_file", "files", "next"}),
      ToolSkeleton);
  add("explain_finding", "Explain a code",
      "The page of a finding's or an error's code (AK1201): what it means, an example, how to fix "
      "it.",
      ObjectOf({{"code", Typed("string", "as it stands in a finding, such as AK1201")}}, {"code"}),
      OpenObject({{"code", Typed("string")}, {"title", Typed("string")}, {"text", Typed("string")}},
                 {"code", "text"}),
      ToolExplain);
  add("validate_program", "Check a program of the kernel language",
      "Every error of a program of the kernel language, with line, column and what to do. Nothing "
      "is run on the chip.",
      ProgramInput(),
      OpenObject({{"ok", Typed("boolean")}, {"diagnostics", diagnostics}}, {"ok", "diagnostics"}),
      ToolValidate);
  add("lower_program", "Lower a program to Ascend C",
      "The Ascend C project that a program of the kernel language is lowered to: path to content.",
      ProgramInput(),
      OpenObject({{"ok", Typed("boolean")},
                  {"diagnostics", diagnostics},
                  {"files", {{"type", "object"}, {"additionalProperties", Typed("string")}}}},
                 {"ok", "diagnostics", "files"}),
      ToolLower);
  add("api_card", "Functions of Ascend C",
      "How functions of Ascend C are called, and which dtypes they take. By a function's name or a "
      "topic (`name`), for "
      "what a task needs (`task`), or without arguments the general rules; the latter two with "
      "whole kernels as "
      "examples.",
      ObjectOf(
          {{"name", Typed("string", "a function such as ReduceSum, or a topic such as softmax")},
           {"task", Typed("string", "a name of list_tasks")}}),
      OpenObject({{"cards", ListOf(Typed("string"))},
                  {"functions", ListOf(Typed("object"), "function, dtypes")},
                  {"examples", ListOf(Typed("object"), "name, text: a whole op_kernel file")}},
                 {"cards", "functions"}),
      ToolApiCard);
  return out;
}

}  // namespace akgen::serve
