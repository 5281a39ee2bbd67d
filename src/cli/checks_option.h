// The option --checks, alike in every command that runs kernels.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/json.h"

namespace akgen::cli {

// `text` holds "all", "none" or names of checks separated by commas; other words are refused while parsing.
void AddChecksOption(CLI::App& command, std::string& text);
// What the judge takes: {"memcheck": bool, …}.
base::Json ChecksFrom(const std::string& text);

}  // namespace akgen::cli
