// Which of akgen's own kernels and programs a model is shown beside a task.
#pragma once
#include <filesystem>
#include <string>

#include "task/task.h"

namespace akgen::generate {

// The category under the name that akgen's own tasks have for it: other benchmarks say
// "normalization" where they say "Norm". Others come back as they are.
std::string CategoryOf(const task::TaskSpec& task);

// Of akgen's own right kernels (a project's folder) and programs (a file), by what the task's
// category needs, and never the task's own answer.
std::filesystem::path DirectExample(const task::TaskSpec& task);
std::filesystem::path CraftExample(const task::TaskSpec& task);

}  // namespace akgen::generate
