// The commands of akgen. Each adds itself to the parser and returns its exit code through `exit_code`.
// Exit codes: 0 pass or done, 1 the candidate did not pass, 2 usage error, 3 internal error or something is missing.
#pragma once
#include <CLI/CLI.hpp>

namespace akgen::cli {

inline constexpr int kOk = 0, kNotPassed = 1, kUsage = 2, kFault = 3;

void AddJudge(CLI::App& app, int& exit_code);
void AddRun(CLI::App& app, int& exit_code);
void AddProfile(CLI::App& app, int& exit_code);
void AddTune(CLI::App& app, int& exit_code);
void AddCalibrate(CLI::App& app, int& exit_code);
void AddExec(CLI::App& app, int& exit_code);
void AddMutate(CLI::App& app, int& exit_code);
void AddTasks(CLI::App& app, int& exit_code);
void AddTasksShow(CLI::App& tasks, int& exit_code);
void AddCraft(CLI::App& app, int& exit_code);
void AddGenerate(CLI::App& app, int& exit_code);
void AddReport(CLI::App& app, int& exit_code);
void AddLm(CLI::App& app, int& exit_code);
void AddServe(CLI::App& app, int& exit_code);
void AddMcp(CLI::App& app, int& exit_code);
void AddDoctor(CLI::App& app, int& exit_code);

}  // namespace akgen::cli
