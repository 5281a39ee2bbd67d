// The rules of judging: what a candidate may not do, whatever its values are. A breach is the
// verdict `rejected`. docs/trust.md lists the exploits that these rules, the sandbox and the chip
// prevent.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/build_diagnostic.h"
#include "task/inputs.h"
#include "task/task.h"

namespace akgen::judge {

struct Breach {
  std::string code, message, file, fix;
  int line = 0;
  record::BuildDiagnostic AsDiagnostic() const {
    return {"error", file, line, 0, message, {}, code, fix};
  }
};

// A candidate must not be able to tell this judge from the chip, nor read a clock. Looks at every
// source file of the project, comments and strings aside. AK0601 names akgen, AK0602 asks the
// processor or the call stack.
std::optional<Breach> BreachInSources(const std::filesystem::path& project);
// What host code may call: its own interface, C++'s containers and text, memory, mathematics.
// AK0603 for the rest (files, clocks, threads, processes, the environment).
std::optional<Breach> BreachInHostImports(const std::vector<std::string>& symbols);
// The first of the symbols, as they are linked, that host code may not call.
std::optional<std::string> ClosedToHost(const std::vector<std::string>& symbols);

// Changes with every byte of the tensors. Not for storing: the key is drawn once per process.
uint64_t DigestOf(const task::TensorSet& tensors);
// AK0604: the inputs are not what they were before the run.
std::optional<Breach> InputsChanged(uint64_t before, const task::TensorSet& now);
// AK0607: variables of the kernel changed (sim::RunReply::state_changed: 1 + the first byte).
std::optional<Breach> StateKept(uint64_t state_changed);

// AK0605: every floating input and output of the case has 32 bits or more, and the kernel computed
// with less.
std::optional<Breach> SilentDowncast(const task::CaseDesc& c, const base::Json& arithmetic);

// Reasons that make a verdict worthless, empty when there is none.
// AK0606: a reference whose outputs are NaN everywhere accepts anything that is NaN everywhere.
std::string NothingToCompare(const task::CaseDesc& c, const task::TensorSet& golden);
// AK0608: the hash of the candidate's folder is no longer `before`.
std::string ChangedUnderneath(const std::filesystem::path& project, const std::string& before);

}  // namespace akgen::judge
