#include "cli/served_tasks.h"

namespace akgen::cli {

void ServedTasks::AddTo(CLI::App& c) {
  c.add_option("--tasks", tasks,
               "Tasks to judge: all, levels, names, or folders of your own, each with the split "
               "that it belongs to: "
               "train=DIR,test=level1; default: the benchmark")
      ->delimiter(',');
  c.add_option("--hidden", hidden,
               "Hidden cases that a pass takes as well, drawn from the seed, where a request does "
               "not say how many and "
               "names no cases")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
}

base::Status ServedTasks::Into(serve::JudgeService::Options& options) const {
  options.hidden = hidden;
  if (tasks.empty()) return {};
  auto chosen = serve::ChooseTasks(tasks);
  if (!chosen.ok()) return chosen.error();
  options.tasks = std::move(*chosen);
  return {};
}

}  // namespace akgen::cli
