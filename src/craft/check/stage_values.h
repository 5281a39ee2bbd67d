// Values of a compute stage: tiles in the dtype the vector unit computes in.
#pragma once
#include <utility>

#include "craft/check/kernel_scope.h"

namespace akgen::craft {

// f32 for the float dtypes, i32 for the integers up to 32 bits, i64; comparisons give bool.
base::Dtype ComputeDtype(base::Dtype d);
// Of two dtypes the one of the higher rank is computed in.
int RankOf(base::Dtype d);

// A scalar, or a value of the stage, or nothing after an error.
struct TileOperand {
  ir::S scalar;
  int value = -1;
  bool ok() const { return scalar || value >= 0; }
};

class StageValues {
 public:
  // Values are appended to those of `stage`.
  StageValues(KernelScope& scope, ir::Stmt& stage) : scope_(scope), stage_(stage) {}

  const ir::Value& At(int v) const { return stage_.values[static_cast<size_t>(v)]; }
  int Push(ir::Value v);
  int Splat(const ir::S& s, base::Dtype dtype, Place place);
  int ToValue(const TileOperand& o, base::Dtype dtype, Place place);
  int CastTo(int value, base::Dtype dtype, Place place);
  int Promote(int value, Place place);  // to the dtype the unit computes in
  bool Broadcast(const ir::Value& a, const ir::Value& b, ir::Value& out, Place place);
  TileOperand Unary(ir::Op op, const TileOperand& a, Place place);
  TileOperand Binary(ir::Op op, TileOperand a, TileOperand b, Place place);

 private:
  KernelScope& scope_;
  ir::Stmt& stage_;
};

}  // namespace akgen::craft
