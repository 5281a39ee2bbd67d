// Scalars of a tiling function as C++.
#pragma once
#include <fmt/format.h>
#include <cmath>
#include <string>
#include <utility>

#include "craft/emit/emit.h"

namespace akgen::craft {
using ir::HostStmt;
using ir::HostTensor;
using ir::S;
using ir::SKind;
using ir::Ty;

std::string CppScalar(Ty t);

// What the sizes of a product's blocks depend on besides its extents.
struct BlockLimits {
  int operand_bytes = 2;
  int most_cols = 512;  // that BiasTable holds
  std::string fits;     // what else decides, as an argument
};

class HostExpressions {
 public:
  explicit HostExpressions(const ir::Program& program) : program_(program) {}

  // In brackets where its operator binds less than `least`.
  std::string Scalar(const S& s, int least = 0);
  std::string List(const std::string& name) const;  // of integers
  std::string Desc(const std::string& tensor) const;
  size_t InputIndex(const std::string& name) const;
  size_t AttrIndex(const std::string& name) const;

  void SetBlocks(BlockLimits limits) { blocks_ = std::move(limits); }  // of what follows
  bool NeedsMath() const { return needs_math_; }                       // <cmath>

 private:
  size_t OutputIndex(const std::string& name) const;
  std::string Shape(const std::string& tensor) const;
  std::string ShapeCall(const S& s, const std::string& fn);
  std::string Call(const S& s);

  const ir::Program& program_;
  BlockLimits blocks_;
  bool needs_math_ = false;
};

}  // namespace akgen::craft
