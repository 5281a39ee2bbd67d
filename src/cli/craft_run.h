#pragma once
#include <CLI/CLI.hpp>

#include "cli/judging_options.h"
#include "craft/prove/prove.h"

namespace akgen::cli {

// A program against its own interpreter, on its `# try:` cases. Result: an exit code.
int ValidateProgram(const std::string& program, const JudgingOptions& judging, uint64_t seed,
                    const std::string& json);

// The answer of akgen-prover about a program's file. AK0010 it failed, AK0011 it took longer,
// AK0013 it is not there.
base::Result<craft::prove::Report> AskProver(const std::string& file, const std::string& chip,
                                             unsigned steps, int seconds);

// craft run, craft validate
void AddCraftRun(CLI::App* craft, int& exit_code);
// craft prove
void AddCraftProve(CLI::App* craft, int& exit_code);
// craft fuzz
void AddCraftFuzz(CLI::App* craft, int& exit_code);

}  // namespace akgen::cli
