// `akgen corpus` and its commands.
#pragma once
#include "cli/commands.h"

namespace akgen::cli {

void AddCorpus(CLI::App& app, int& exit_code);
void AddCorpusBuild(CLI::App* corpus, int& exit_code);
void AddCorpusTasks(CLI::App* corpus, int& exit_code);

}  // namespace akgen::cli
