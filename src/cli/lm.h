// `akgen lm` and its commands.
#pragma once
#include <string>

#include "base/json.h"
#include "base/status.h"
#include "cli/commands.h"

namespace akgen::cli {

// Settings of akgen-lm out of a TOML file. AK0001 it cannot be read, AK1921 it is not TOML.
base::Result<base::Json> ReadSettings(const std::string& file);
void AddLmReinforce(CLI::App* lm, int& exit_code);

}  // namespace akgen::cli
