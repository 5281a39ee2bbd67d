// Rows of a tile begin where the chip wants it (32 bytes) in every dtype the kernel uses, so that
// tiles of different dtypes have the same distance of rows in elements, and an instruction over all
// rows runs through both alike.
#include <algorithm>

#include "craft/passes/lowered.h"

namespace akgen::craft {
namespace {
void Smallest(const ir::Block& b, int& bytes) {
  for (const auto& s : b) {
    Smallest(s->body, bytes);
    Smallest(s->other, bytes);
    for (const ir::Value& v : s->values) {
      bytes = std::min(bytes, ElementBytes(v.dtype));
      // Bytes and halves: an 8-bit value passes through half.
      if (v.op == ir::Op::k_cast && ElementBytes(v.dtype) == 1) bytes = 1;
    }
  }
}
}  // namespace

int ElementBytes(base::Dtype dtype) {
  return dtype == base::Dtype::kBool ? 4 : base::SizeOf(dtype);
}

ir::S RowPitch(const LoweredKernel& k, const ir::S& most_rows, const ir::S& most_cols) {
  if (ir::IsConst(most_rows, 1)) return most_cols;
  return ir::Mul(ir::CeilDiv(most_cols, ir::Int(k.granule)), ir::Int(k.granule));
}

ir::S TileBytes(const LoweredKernel& k, const ir::S& most_rows, const ir::S& most_cols,
                base::Dtype dtype) {
  // Whole repeats of 256 bytes: comparisons work on nothing less.
  ir::S elements = ir::Mul(most_rows, RowPitch(k, most_rows, most_cols));
  return ir::Mul(ir::CeilDiv(ir::Mul(elements, ir::Int(ElementBytes(dtype))), ir::Int(256)),
                 ir::Int(256));
}

base::Status AlignPad(LoweredKernel& k) {
  int bytes = 8;
  for (const ir::Buffer& b : k.kernel.buffers) bytes = std::min(bytes, base::SizeOf(b.dtype));
  Smallest(k.kernel.body, bytes);
  k.granule = static_cast<int>(k.target.align) / bytes;
  if (k.granule < 8) k.granule = 8;  // f32 values appear in every kernel
  return {};
}

}  // namespace akgen::craft
