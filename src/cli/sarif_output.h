// The option --sarif: findings as SARIF 2.1.0 for editors and code hosts.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "report/sarif.h"

namespace akgen::cli {

void AddSarifOption(CLI::App& command, std::string& path);
// Writes the subjects to `path` (nothing for an empty one). Returns an exit code.
int WriteSarif(const std::vector<report::SarifSubject>& subjects, const std::string& path);
// A subject whose places are relative to the folder of `file` (or to `file`, when that is a
// folder).
report::SarifSubject Subject(const std::string& name, const std::string& file);

}  // namespace akgen::cli
