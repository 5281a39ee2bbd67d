#pragma once
#include <CLI/CLI.hpp>

namespace akgen::cli {

// craft run, craft validate
void AddCraftRun(CLI::App* craft, int& exit_code);
// craft prove
void AddCraftProve(CLI::App* craft, int& exit_code);
// craft fuzz
void AddCraftFuzz(CLI::App* craft, int& exit_code);

}  // namespace akgen::cli
