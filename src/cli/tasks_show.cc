// `akgen tasks show`: what a task asks for.
#include <fmt/core.h>

#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "task/describe.h"
#include "task/hidden.h"

namespace akgen::cli {
namespace {
struct TasksArgs {
  std::string name, json;
  std::optional<uint64_t> hidden_seed;
  int hidden = 4;
};

// With a seed, the hidden cases a run with that seed judges in place of the task's own.
int ShowTask(const TasksArgs& a) {
  auto task = task::LoadTask(a.name);
  if (!task.ok()) {
    PrintError(task.error());
    return kUsage;
  }
  if (a.hidden_seed) {
    task::ReferenceClient reference;
    auto rows = task::HiddenCases(*task, *a.hidden_seed, a.hidden, "hidden", reference);
    if (!rows.ok()) {
      PrintError(rows.error());
      return kFault;
    }
    task->cases = *rows;
  }
  const std::string& json = a.json;
  std::string text = task::Describe(*task);
  if (json.empty()) {
    fmt::print("{}", text);
    return kOk;
  }
  base::Json cases = base::Json::array();
  for (const auto& row : task->cases) cases.push_back(row.columns);
  return WriteJson({{"name", task->name},
                    {"level", task->level},
                    {"category", task->category},
                    {"entry", task->entry},
                    {"description", task->description},
                    {"text", text},
                    {"cases", cases}},
                   json);
}
}  // namespace

void AddTasksShow(CLI::App& tasks, int& exit_code) {
  auto a = std::make_shared<TasksArgs>();
  CLI::App* show = tasks.add_subcommand(
      "show", "Describe a task: inputs and their distributions, outputs, attributes, cases");
  show->add_option("task", a->name, "Task name or folder with task.toml")->required();
  show->add_option("--hidden-seed", a->hidden_seed,
                   "Show the hidden cases of a run with this seed (see `akgen bench show`) instead "
                   "of the public ones");
  show->add_option("--hidden", a->hidden, "How many hidden cases the run has")
      ->capture_default_str();
  show->add_option("--json", a->json, "Write it to this file (- for standard output)");
  show->footer("Example: akgen tasks show SwiGlu\nExit code: 0, 2 no such task.");
  show->callback([a, &exit_code] { exit_code = ShowTask(*a); });
}

}  // namespace akgen::cli
