// The units of one build, compiled by two processes where there are processors for both.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "toolchain/builder/compiler.h"
#include "toolchain/builder/server_plan.h"

namespace akgen::toolchain {

struct UnitResult {
  CompileOutcome outcome;
  std::vector<Rewrite> rewrites;
};
using UnitResults =
    std::map<size_t, UnitResult>;  // by number; units for Cube cores follow those for Vector cores

// Each once: what several units include is rewritten in all of them.
std::vector<Rewrite> RewritesOf(const UnitResults& results);

// Of units whose objects are there, with what was said of all of them.
UnitResults Compiled(size_t units, std::vector<BuildDiagnostic> diagnostics,
                     std::vector<Rewrite> rewrites);

// Where the object of a unit is written.
std::string ObjectOf(const std::filesystem::path& dir, size_t unit);

class Share {
 public:
  // Forks when the plan has several units and the machine several processors. What follows happens
  // in both processes, up to Compile(); each confines itself.
  explicit Share(const Server::Plan& plan);
  // Compiles units while there are any. In the second process it does not return; in the first it
  // adds what the second found. After a unit whose `fault` is set, others may be missing. What
  // ended the second process, a signal or an exit status other than 0, ends this one too.
  UnitResults Compile(Compiler& compiler, const BuildRequest& request, const Server::Plan& plan,
                      const std::filesystem::path& dir);

 private:
  void Collect(UnitResults* results);

  std::vector<size_t> order_;     // of the units: long sources first, as they tend to take longest
  std::atomic<size_t> alone_{0};  // how many of them were taken, by one process …
  std::atomic<size_t>* taken_ = &alone_;  // … or in memory that two share
  pid_t second_ = -1;                     // 0: this is it
  base::Fd found_;                        // what the second process writes and the first one reads
};

}  // namespace akgen::toolchain
