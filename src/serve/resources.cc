#include "serve/resources.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/files.h"
#include "chip/chip.h"
#include "generate/api_text.h"
#include "generate/prompt.h"
#include "judge/host/skeleton.h"

namespace akgen::serve {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr const char* kMarkdown = "text/markdown";
constexpr const char* kSource = "text/x-c++src";
constexpr const char* kScheme = "akgen://";

Error UnknownUri(const std::string& uri) {
  return {"AK0901", "no resource has this address", uri.substr(0, 200),
          "resources/list lists them"};
}

fs::path ExamplesFolder() { return base::HomeDir() / "data/generate/examples"; }

std::vector<std::string> ExampleNames() {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator it(ExamplesFolder(), ec), end; !ec && it != end; it.increment(ec))
    if (it->path().extension() == ".cpp") out.push_back(it->path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

// The general cards, those for some tasks, and which dtypes the functions take.
Result<std::string> AllFunctions() {
  auto cards = generate::LoadCards();
  if (!cards.ok()) return cards.error();
  std::string out = "# Functions of Ascend C\n\n";
  for (const auto& card : *cards) out += "- " + card.text + "\n";
  out += "\nDtypes they take:\n";
  for (const auto& [dtypes, names] : generate::DtypesFromHeaders()) {
    std::string list;
    for (const std::string& n : names) list += (list.empty() ? "" : ", ") + n;
    out += "- " + dtypes + ": " + list + "\n";
  }
  return out;
}

Result<std::string> FunctionsOf(const Service& service, const std::string& name) {
  auto task = service.Task(name);
  return task.ok() ? generate::ApiText(*task) : task.error();
}

// What a task asks for, as a prompt says it, with the interface of its kernel.
Result<std::string> TextOfTask(const Service& service, const std::string& name) {
  auto task = service.Task(name);
  if (!task.ok()) return task.error();
  auto chip = chip::LoadChip(std::string(chip::kDefaultChip));
  if (!chip.ok()) return chip.error();
  return generate::TaskText(*task, task->cases) + "\n" + generate::ChipText(*chip) +
         "\n# Interface\n\n`op_kernel/" + task->entry + ".cpp` holds this function:\n```cpp\n" +
         judge::KernelSkeleton(*task) + "```\n";
}

Result<std::string> PageOfCode(const std::string& code) {
  const bool plain =
      code.size() == 6 && code.starts_with("AK") &&
      std::all_of(code.begin() + 2, code.end(), [](unsigned char c) { return std::isdigit(c); });
  if (!plain) return UnknownUri(std::string(kScheme) + "findings/" + code);
  return base::ReadFile(base::HomeDir() / "docs/diagnostics" / (code + ".md"));
}

Result<std::string> ExampleText(const std::string& name) {
  const auto names = ExampleNames();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return UnknownUri(std::string(kScheme) + "examples/" + name);
  return base::ReadFile(ExamplesFolder() / (name + ".cpp"));
}

Result<std::string> TextAt(const Service& service, const std::string& path) {
  if (path == "guide") return base::ReadFile(base::HomeDir() / "docs/agents.md");
  if (path == "language") return base::ReadFile(base::HomeDir() / "docs/craft/language.md");
  if (path == "functions") return AllFunctions();
  const size_t slash = path.find('/');
  const std::string kind = path.substr(0, slash),
                    name = slash == std::string::npos ? "" : path.substr(slash + 1);
  if (kind == "tasks") return TextOfTask(service, name);
  if (kind == "functions") return FunctionsOf(service, name);
  if (kind == "examples") return ExampleText(name);
  if (kind == "findings") return PageOfCode(name);
  return UnknownUri(kScheme + path);
}

Json TemplateOf(const char* uri, const char* name, const char* title, const char* description) {
  return {{"uriTemplate", uri},
          {"name", name},
          {"title", title},
          {"description", description},
          {"mimeType", kMarkdown}};
}
}  // namespace

std::vector<Resource> ListResources(const Service& service) {
  std::vector<Resource> out{
      {"akgen://guide", "guide", "Guide for agents",
       "What to ask, how to read a verdict, the loop to a pass", kMarkdown},
      {"akgen://language", "language", "The kernel language",
       "The language in which kernels are written shortest: all constructs and functions, with a "
       "program",
       kMarkdown},
      {"akgen://functions", "functions", "Functions of Ascend C",
       "How functions are called, in which order, and which dtypes they take", kMarkdown}};
  for (const std::string& name : ExampleNames())
    out.push_back({"akgen://examples/" + name, name, "Example: " + name,
                   "A whole op_kernel file over the host side that the tool `skeleton` gives",
                   kSource});
  for (const auto& t : service.Tasks())
    out.push_back({"akgen://tasks/" + t.name, t.name, "Task " + t.name,
                   t.category + ", level " + std::to_string(t.level) +
                       ": parameters, reference in PyTorch, cases, chip, interface of the kernel",
                   kMarkdown});
  return out;
}

Json ResourceTemplates() {
  return Json::array(
      {TemplateOf("akgen://tasks/{task}", "task", "A task",
                  "What it asks for; {task} is a name of list_tasks"),
       TemplateOf("akgen://functions/{task}", "functions_of_task", "Functions for a task",
                  "How the functions are called that a task needs"),
       TemplateOf("akgen://findings/{code}", "finding", "A finding's page",
                  "What a code such as AK1201 means, an example, how to fix it")});
}

Result<ResourceText> ReadResource(const Service& service, const std::string& uri) {
  if (!uri.starts_with(kScheme)) return UnknownUri(uri);
  const std::string path = uri.substr(std::string(kScheme).size());
  auto text = TextAt(service, path);
  if (!text.ok()) {
    const std::string& code = text.error().code;  // a name in it that does not exist
    return code == "AK0101" || (code == "AK0001" && path.starts_with("findings/")) ? UnknownUri(uri)
                                                                                   : text.error();
  }
  return ResourceText{uri, path.starts_with("examples/") ? kSource : kMarkdown, *text};
}

Json ExampleKernels() {
  Json out = Json::array();
  for (const std::string& name : ExampleNames())
    if (auto text = ExampleText(name); text.ok()) out.push_back({{"name", name}, {"text", *text}});
  return out;
}

}  // namespace akgen::serve
