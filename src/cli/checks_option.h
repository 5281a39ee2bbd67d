// The options --checks and --backend, alike in every command that runs kernels.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/json.h"

namespace akgen::cli {

// `text` holds "all", "none" or names of checks separated by commas; other words are refused while parsing.
void AddChecksOption(CLI::App& command, std::string& text);
// `name` holds the name of a toolchain::Backend; other words are refused while parsing.
void AddBackendOption(CLI::App& command, std::string& name);
// What the judge takes: {"memcheck": bool, …}.
base::Json ChecksFrom(const std::string& text);

}  // namespace akgen::cli
