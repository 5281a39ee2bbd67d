// Options that were renamed: the old name works for one more release, with a warning on standard
// error.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace akgen::cli {

// Accepts `old_name` (with its dashes) for `option` of `command`: on the command line and, through
// ApplyConfigFile, in a configuration file. It takes the same values, is checked by the same
// validators, and is absent from --help. Call it when `option` is complete; `option` must outlive
// the parser, as CLI11's options do.
void AddOldName(CLI::App& command, const std::string& old_name, CLI::Option* option);

}  // namespace akgen::cli
