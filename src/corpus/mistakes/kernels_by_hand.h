// Faults planted in handwritten kernels: standalone files with a `// launch:` comment
// (judge/run/lone.h). They use what no composed kernel has: flags, barriers, event ids, atomics,
// blocks that wait for each other, all by hand.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "corpus/mistakes/mistake.h"

namespace akgen::corpus {

class KernelsByHand {
 public:
  // The kernels of all folders, in an order that `seed` decides. A file that expects findings (`//
  // expect:` and no `clean`) is no right kernel; where the right one is called broken_ok.cpp and it
  // broken.cpp, it is one of its mistakes. AK0801: no such folder.
  static base::Result<KernelsByHand> Find(const std::vector<std::string>& folders, uint64_t seed);
  size_t size() const { return files_.size(); }
  std::string hash() const;  // of all that is read
  // Kernel number i with its twin and up to `most` mutants, each run on the chip. AK0002; AK0013.
  base::Result<Lesson> Examine(size_t i, size_t most, const std::string& chip) const;

 private:
  struct File {
    std::filesystem::path path, shown;  // shown: from its folder's name on
    std::string text, twin;             // twin: of broken.cpp, or empty
    bool others = false;
    uint64_t order = 0;
  };
  std::vector<File> files_;
};

}  // namespace akgen::corpus
