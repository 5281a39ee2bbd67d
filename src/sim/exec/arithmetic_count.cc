// In which precision a kernel really computes: a float32 kernel that computes in half is told from one that does not.
#include "base/dtype.h"
#include "sim/exec/core.h"

namespace akgen::sim {
namespace {
// Instructions that move, select or index: their results are bits of their operands, whatever the dtype.
bool Moves(uint16_t op) {
  switch (op) {
    case AKGEN_OP_Copy:
    case AKGEN_OP_Duplicate:
    case AKGEN_OP_Select:
    case AKGEN_OP_CreateVecIndex:
    case AKGEN_OP_Brcb:
    case AKGEN_OP_Gather:
    case AKGEN_OP_Gatherb:
    case AKGEN_OP_Scatter:
    case AKGEN_OP_GatherMask:
    case AKGEN_OP_Transpose:
    case AKGEN_OP_TransDataTo5HD:
    case AKGEN_OP_Sort32:
    case AKGEN_OP_MrgSort:
    case AKGEN_OP_RpSort16:
    case AKGEN_OP_MrgSort4:
    case AKGEN_OP_ProposalConcat:
    case AKGEN_OP_ProposalExtract:
    case AKGEN_OP_Interleave:
    case AKGEN_OP_DeInterleave:
    case AKGEN_OP_And:
    case AKGEN_OP_Or:
    case AKGEN_OP_Xor:
    case AKGEN_OP_Not:
    case AKGEN_OP_Ands:
    case AKGEN_OP_Ors:
    case AKGEN_OP_ShiftLeft:
    case AKGEN_OP_ShiftRight:
    case AKGEN_OP_Compare:
    case AKGEN_OP_CompareScalar: return true;
    default: return false;
  }
}
bool ShortFloat(uint8_t dtype) { return dtype == AKGEN_F16 || dtype == AKGEN_BF16; }
}  // namespace

void CountArithmetic(const AkgenVec& v, Arithmetic* counts) {
  if (v.op == AKGEN_OP_Cast) {
    counts->narrowing_casts += v.src_type == AKGEN_F32 && ShortFloat(v.dst_type);
    return;
  }
  if (!Moves(v.op) && v.src_type < counts->by_dtype.size()) ++counts->by_dtype[v.src_type];
}

base::Json ToJson(const Arithmetic& a) {
  base::Json out = base::Json::object();
  for (size_t i = 0; i < a.by_dtype.size(); ++i)
    if (a.by_dtype[i]) out[std::string(base::NameOf(base::Dtype(i)))] = a.by_dtype[i];
  if (a.narrowing_casts) out["narrowing_casts"] = a.narrowing_casts;
  return out;
}

}  // namespace akgen::sim
