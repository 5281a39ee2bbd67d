// The parts of `akgen bench`, each adding its commands.
#pragma once
#include "bench/config.h"
#include "bench/generator.h"
#include "cli/commands.h"

namespace akgen::cli {

void AddBenchKernelBench(CLI::App& bench, int& exit_code);
void AddBenchLint(CLI::App& bench, int& exit_code);
void AddBenchShow(CLI::App& bench, int& exit_code);

// Candidates of the units by the planner. Folder and store get their places below the cache where
// they are empty; what was generated and the configuration decide the store's name, so that a run
// that was ended is resumed. Returns an exit code.
int Generate(const std::vector<bench::Unit>& units, const bench::Config& config,
             std::string& candidates, std::string& out, std::vector<bench::Generated>& made);
// Prints and writes what became of them; `run` is empty when nothing was emitted.
int ReportGenerated(const std::vector<bench::Generated>& made, const store::Store& store,
                    const std::string& run, const std::string& json);

}  // namespace akgen::cli
