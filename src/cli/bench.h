// The parts of `akgen bench`, each adding its commands.
#pragma once
#include "cli/commands.h"

namespace akgen::cli {

void AddBench(CLI::App& app, int& exit_code);
void AddBenchLint(CLI::App& bench, int& exit_code);
void AddBenchShow(CLI::App& bench, int& exit_code);

}  // namespace akgen::cli
