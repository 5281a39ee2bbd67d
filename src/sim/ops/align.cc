// Where the operands of `own` instructions, and temporary buffers, may start. A multiple of 32 bytes but for the
// results of reductions and the lists of the merge sort, as the pages of these instructions say.
#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

uint32_t ResultAlignment(const AkgenVec& v) {
  const uint32_t size = SizeOfType(v.dst_type);
  switch (v.op) {
    case AKGEN_OP_WholeReduceSum:
    case AKGEN_OP_ReduceSum: return size;
    case AKGEN_OP_WholeReduceMax:
    case AKGEN_OP_WholeReduceMin:  // mode: value and index, index and value, value, index
      return v.mode < 2 ? 2 * size : v.mode == 2 ? size : 4;
    case AKGEN_OP_ReduceMax:
    case AKGEN_OP_ReduceMin: return v.flag ? 2 * size : size;
    case AKGEN_OP_BlockReduceSum:
    case AKGEN_OP_BlockReduceMax:
    case AKGEN_OP_BlockReduceMin: return 8 * size;
    case AKGEN_OP_MrgSort4: return 8 * size;
    default: return kBlock;
  }
}

uint32_t ListAlignment(const AkgenVec& v) { return v.op == AKGEN_OP_MrgSort4 ? 8 * SizeOfType(v.src_type) : 8; }
}  // namespace

Starts StartsOf(const AkgenVec& v) {
  Starts out;
  auto add = [&](const void* at, uint32_t align, bool write) {
    if (at && align > 1) out.at[out.count++] = {at, align, write};
  };
  auto add_list = [&](uint64_t list, uint32_t present, uint32_t align, bool write) {
    for (uint32_t i = 0; list && present >> i; ++i)
      if (present >> i & 1) add(reinterpret_cast<const void* const*>(list)[i], align, write);
  };
  add(v.tmp, kBlock, true);
  if (VecOpFamily(v.op) != Family::own) return out;  // the vector unit looks at the others itself
  if (IsLibrary(v.op)) {
    const uint32_t results = (1u << v.round_mode) - 1;
    add_list(v.aux[0], results, kBlock, true);
    add_list(v.aux[0], 0xff & ~results, kBlock, false);
    return out;
  }
  switch (v.op) {
    case AKGEN_OP_MrgSort:
    case AKGEN_OP_MrgSort4:
      add(v.dst, ResultAlignment(v), true);
      add_list(v.aux[0], v.mode & 15, ListAlignment(v), false);
      return out;
    case AKGEN_OP_TransDataTo5HD:
      add_list(v.aux[0], 0xffff, kBlock, true);
      add_list(v.aux[1], 0xffff, kBlock, false);
      return out;
    case AKGEN_OP_Select:
    case AKGEN_OP_SelectWithBytesMask: add(reinterpret_cast<const void*>(v.aux[0]), kBlock, false); break;
    case AKGEN_OP_Interleave:
    case AKGEN_OP_DeInterleave: add(reinterpret_cast<const void*>(v.aux[0]), kBlock, true); break;
    default: break;
  }
  add(v.dst, ResultAlignment(v), true);
  add(v.src0, kBlock, false);
  add(v.src1, kBlock, false);
  return out;
}

}  // namespace akgen::sim
