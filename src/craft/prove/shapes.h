// Shapes of tensors as expressions: the dimensions that a program names, from the front and from
// the back, and what lies between them joined in one. For prove/ only.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "craft/prove/walk.h"

namespace akgen::craft::prove {

// Which dimensions a host function names of a tensor.
struct ShapeUse {
  int64_t front = 0, back = 0;  // x.shape[1] is two from the front, x.shape[-1] one from the back
  bool rank = false;            // len(x.shape)
  int fixed = -1;               // the rank that require() demands
};
std::map<std::string, ShapeUse> UsesOf(const ir::Program& program);

class TensorShape {
 public:
  TensorShape() = default;
  // Rank below 0: any with at least the named dimensions.
  TensorShape(Terms& terms, const std::string& name, const ShapeUse& use, int rank);

  Poly Dim(int64_t index) const;  // 1 where there is none, as in the language
  Poly Product(int64_t from, int64_t to, bool to_end) const;  // negative: from the back
  Poly Elements() const { return Product(0, 0, true); }
  const Poly& Rank() const { return rank_; }
  const std::vector<Poly>& parts() const { return parts_; }

 private:
  size_t Cut(int64_t at) const;  // the part that begins there
  std::vector<Poly> parts_;
  size_t front_ = 0;     // parts before the joined one
  bool joined_ = false;  // parts_[front_] is several dimensions, or none
  Poly rank_;
};

}  // namespace akgen::craft::prove
