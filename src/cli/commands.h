// The commands of akgen. Each is a row in its own file: it adds itself to the parser, and from
// there to the help, the manual and the completions, and returns its exit code through `exit_code`.
// Exit codes: 0 pass or done, 1 the candidate did not pass, 2 usage error, 3 internal error or
// something is missing.
#pragma once
#include <CLI/CLI.hpp>

namespace akgen::cli {

inline constexpr int kOk = 0, kNotPassed = 1, kUsage = 2, kFault = 3;

// A static one in a command's file is the row.
class Command {
 public:
  using Add = void (*)(CLI::App& app, int& exit_code);
  // `position`: among the others in lists, the lowest first.
  Command(int position, Add add);
};
// All of them, in order.
void AddCommands(CLI::App& app, int& exit_code);

void AddTune(CLI::App& app, int& exit_code);  // of `craft` too
void AddTasksShow(CLI::App& tasks, int& exit_code);
void AddTasksNew(CLI::App& tasks, int& exit_code);

}  // namespace akgen::cli
