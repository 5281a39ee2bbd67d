// The error-derived part of a corpus: faults planted in akgen's own kernels, each with what the chip found, a diagnosis made from
// the finding, and the kernel as it was.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace akgen::corpus {

struct ErrorOptions {
  uint64_t count = 3000, seed = 1;
  size_t per_kernel = 16;          // mutants of one kernel
  size_t per_class = 600;          // records with one diagnostic at most, so that none drowns the others
  std::string chip = "910B2";
  size_t together = 4;             // kernels in one build, each with its mutants
  std::function<void(uint64_t done, uint64_t before, const std::string& what)> progress;
};

// Fills DIR/errors from the kernels of DIR/synthetic: records.jsonl, ledger.db, manifest.json with counts by diagnostic and by planted fault.
// A mutant becomes a record when the chip has a finding that is no warning, or its output is wrong; the kernel as it was passes
// in the same process. Goes on where an earlier call was stopped. AK0801 no synthetic part, or another corpus; AK0002; AK0012; AK0013.
base::Result<base::Json> BuildErrors(const std::filesystem::path& dir, const ErrorOptions& options);

}  // namespace akgen::corpus
