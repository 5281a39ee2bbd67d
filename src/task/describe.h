// Describes a task in words, from task.toml and cases.json alone.
#pragma once
#include <string>

#include "task/task.h"

namespace akgen::task {

// Description, inputs with their dtypes, shapes and distributions, outputs, attributes, precision
// and cases, as text.
std::string Describe(const TaskSpec& task);

}  // namespace akgen::task
