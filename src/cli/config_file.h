// Options from a TOML file: its keys are the command's long options, with or without dashes turned
// to underscores.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/status.h"

namespace akgen::cli {

// Sets every option of `command` that the command line does not give. Tables only group keys.
// AK0708 the file is not TOML, or has a key or value the command does not know.
base::Status ApplyConfigFile(CLI::App& command, const std::string& file);

}  // namespace akgen::cli
