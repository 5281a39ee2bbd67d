// Builds and runs a direct-launch program: sources with a main() that launches kernels on the
// simulated chip. Such a program is its user's own code: it runs as machine code, contained by the
// sandbox, its records are not sealed, and nothing of it becomes a reward.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "judge/run/executor.h"
#include "record/build_diagnostic.h"
#include "record/verdict.h"

namespace akgen::judge {

struct ProgramRequest {
  std::vector<std::string> sources;  // files; those beside the first are visible to #include
  std::vector<std::string> include_dirs;
  std::vector<std::string> defines;    // "NAME" or "NAME=VALUE"
  std::vector<std::string> arguments;  // after the program's name
  std::string cwd;                     // where it runs; the only folder it may write to
  std::vector<std::string> readable;   // files and folders that it may read besides
  // A PyTorch extension's operator and its arguments, called in place of a main() of the sources;
  // "": there is one.
  std::string call;
  uint64_t seed = 1;                  // of the arguments
  std::vector<std::string> expected;  // files with the bytes of the results
  double tolerance = 1e-4;            // absolute and relative
  std::string chip{chip::kDefaultChip};
  base::Json checks = base::Json::object();
  int timeout_ms = 60000;
  bool time = false;  // asks for the modelled time of each launch
};

// Modelled time of a program's launches, one after the other. Its host's half takes none.
struct ProgramTime {
  double us = 0;
  std::string none;  // why there is no time; empty: there is
  std::vector<base::Json>
      launches;  // each with "blocks", "us" and "range_us", or why it has no time
};

struct ProgramResult {
  record::Verdict verdict = record::Verdict::kInfraError;
  std::string reason;
  int exit_code = 0;
  std::string console;                      // what it printed, kernels included
  base::Json checks = base::Json::array();  // names of the checks that ran
  std::vector<std::string> build_options;   // as in a judgement
  std::vector<record::Finding> findings;
  std::vector<record::BuildDiagnostic> diagnostics;
  double build_ms = 0, run_ms = 0;
  base::Json counts = base::Json::object();  // launches, vector_ops, copies, bytes_in, bytes_out
  std::optional<ProgramTime> time;           // when it was asked for
};
base::Json ToJson(const ProgramResult& result);

// Verdict: pass (exit code 0 and no finding), wrong_answer (it ended with another code), finding,
// or what stopped it.
ProgramResult RunProgram(Executor& executor, const ProgramRequest& request);

}  // namespace akgen::judge
