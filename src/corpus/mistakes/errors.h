// The error-derived part of a corpus: faults planted in kernels that akgen composed and in
// handwritten kernels, and errors made in programs of the kernel language, each with what the chip
// or the compiler reports, a diagnosis derived from that, and the correct text.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "chip/chip.h"

namespace akgen::corpus {

struct ErrorOptions {
  uint64_t count = 3000, seed = 1;
  size_t per_kernel = 16;  // mutants of one kernel
  size_t per_program = 4;  // errors tried in one program
  size_t per_class = 600;  // most records with one diagnostic, so that none dominates
  std::string chip{chip::kDefaultChip};
  size_t per_build = 4;              // composed kernels in one build, each with its mutants
  size_t by_hand = 2;                // handwritten kernels for each build of composed ones
  std::vector<std::string> kernels;  // folders of handwritten kernels; see kernels_by_hand.h
  std::function<void(uint64_t done, uint64_t before, const std::string& what)> progress;
};

// Counts of a built part, as its manifest has them.
struct ErrorsBuilt {
  uint64_t records = 0;
  uint64_t kernels = 0,
           by_hand = 0;  // that faults were planted in: composed ones; handwritten ones
  uint64_t mutants = 0, programs = 0;  // changed kernels; changed programs
  uint64_t harmless = 0, not_run = 0, more_than_wanted = 0;
  size_t diagnostics = 0;  // that records have
  double seconds = 0;      // of all calls together
};

// Fills DIR/errors from the kernels and programs of DIR/synthetic and the kernels of `kernels`:
// records.jsonl, ledger.db, manifest.json with counts by diagnostic and by planted fault. A mutant
// becomes a record when the chip has a finding that is no warning, when its output is wrong, or
// when it does not build or is refused; the right text passes in the same process. Resumes an
// interrupted call. AK0801 no synthetic part, no such folder of kernels, or another corpus; AK0002;
// AK0012; AK0013.
base::Result<ErrorsBuilt> BuildErrors(const std::filesystem::path& dir,
                                      const ErrorOptions& options);

}  // namespace akgen::corpus
