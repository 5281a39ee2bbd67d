// `akgen corpus` and its commands.
#pragma once
#include <memory>

#include "cli/commands.h"
#include "corpus/teach/teaching.h"

namespace akgen::cli {

void AddCorpusBuild(CLI::App* corpus, int& exit_code);

// The parts that a teacher model helps with (cli/corpus_teach.cc).
struct TeachArgs {
  std::vector<std::string> docs, code;
  generate::ModelSettings model;
  corpus::TeachOptions options;
  bool no_cache = false;
};
void AddTeachOptions(CLI::App& c, const std::shared_ptr<TeachArgs>& a);
// Builds what is asked for; not 0: the exit code.
int RunTeach(TeachArgs& a, const std::string& out, bool quiet);
void AddCorpusTasks(CLI::App* corpus, int& exit_code);
void AddCorpusPrefer(CLI::App* corpus, int& exit_code);

}  // namespace akgen::cli
