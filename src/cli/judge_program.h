// A program of the kernel language in a project's place, and the task that belongs to what is
// judged.
#pragma once
#include <optional>
#include <string>

#include "base/files.h"
#include "task/task.h"

namespace akgen::cli {

// Whether `path` is a file with a program, rather than a project's folder.
bool IsProgram(const std::string& path);
// The folder `task` in the project, or beside the program, where it holds a task; else "".
std::string TaskBeside(const std::string& path);
// The operator project that the program becomes, in a folder that goes with the result. Nothing:
// `rc` is the exit code, and what is wrong was said, or written to `json` unless that is "".
std::optional<base::TempDir> LowerToJudge(const std::string& path, const task::TaskSpec& task,
                                          const std::string& chip, const std::string& json,
                                          int* rc);

}  // namespace akgen::cli
