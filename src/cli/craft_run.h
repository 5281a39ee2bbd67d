#pragma once
#include <CLI/CLI.hpp>

#include "cli/judging_options.h"

namespace akgen::cli {

// A program against its own interpreter, on its `# try:` cases. Result: an exit code.
int ValidateProgram(const std::string& program, const JudgingOptions& judging, uint64_t seed,
                    const std::string& json);

// craft run, craft validate
void AddCraftRun(CLI::App* craft, int& exit_code);
// craft prove
void AddCraftProve(CLI::App* craft, int& exit_code);
// craft fuzz
void AddCraftFuzz(CLI::App* craft, int& exit_code);

}  // namespace akgen::cli
