// Scalars of a kernel as C++. Collects the helpers that they call.
#pragma once
#include <set>
#include <string>

#include "craft/emit/emit.h"

namespace akgen::craft {

class Expressions {
 public:
  explicit Expressions(const ir::Kernel& kernel) : kernel_(kernel) {}

 protected:
  // In brackets where its operator binds less than `least`.
  std::string Scalar(const ir::S& s, int least = 0);
  std::string FloatScalar(const ir::S& s);
  std::string Item(const ir::S& s);
  std::string GmTensor(const ir::GmRef& g);
  // Members of lists of integers and of the starts of what they measure, and what fills them.
  std::string ListMembers() const;
  std::string ListInit(const LoweredProgram& p, size_t kernel);

  const ir::Kernel& kernel_;
  bool of_mixed_vector_ = false;    // Vector cores of a block count by the block
  bool of_mixed_operator_ = false;  // Vector cores count by themselves, beside Cube cores
  bool of_sequence_ = false;        // the host says how many cores this kernel has
  std::set<std::string> uses_;      // helpers
  std::set<std::string> params_;    // names that are members
};

}  // namespace akgen::craft
