// Kernels that multiply; for plan/ only.
#pragma once
#include <map>
#include <string>

namespace akgen::craft {

// One side of a product: whether it has a matrix for each of a batch, and lies transposed.
struct CubeOperand {
  bool walks = false, transposed = false;
};

class CubeKernels {
 public:
  // The name of the kernel of such products; where it is a new one its text is added to
  // `functions`. `sums`: what is said of the sums' dtype; `row`: a row is added to all rows.
  std::string NameOf(const CubeOperand& a, const CubeOperand& b, const char* sums, bool row,
                     std::string& functions);

 private:
  std::map<std::string, std::string> names_;  // by text
};

}  // namespace akgen::craft
