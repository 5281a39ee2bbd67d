// Faults planted in the kernels of the composed part of a corpus, run in one process with the
// kernel as it was. Of a kernel for several dtypes it is the one of the last case.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/status.h"
#include "corpus/mistakes/mistake.h"
#include "judge/validate/validate.h"

namespace akgen::corpus {

class ComposedKernels {
 public:
  // Reads DIR/synthetic/records.jsonl from record number `skip` on. AK0801 there is none; AK0013;
  // AK1001.
  static base::Result<ComposedKernels> Open(const std::filesystem::path& dir,
                                            const std::string& chip, uint64_t skip);
  const craft::Target& target() const { return validator_.target(); }
  // The next `count` kernels, each with up to `per_kernel` mutants that `seed` chooses; none at the
  // end.
  base::Result<std::vector<Lesson>> Next(size_t count, size_t per_kernel, uint64_t seed);

 private:
  struct Kernel;
  ComposedKernels(std::filesystem::path file, judge::Validator validator)
      : file_(std::move(file)), in_(file_), validator_(std::move(validator)) {}
  base::Result<Kernel> Read(const std::string& line, size_t per_kernel, uint64_t seed) const;
  void Examine(std::vector<Kernel>& kernels);

  std::filesystem::path file_;
  std::ifstream in_;
  judge::Validator validator_;
};

}  // namespace akgen::corpus
