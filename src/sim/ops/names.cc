#include "sim/ops/lanes.h"

namespace akgen::sim {
namespace {
struct NamedRow {
  const char* name;
  Family family;
};
constexpr NamedRow kRows[] = {
#define AKGEN_VEC_OP(name, family, ...) {#name, Family::family},
#include "akgen/vec_ops.inc"
#undef AKGEN_VEC_OP
};
}  // namespace

const char* VecOpName(uint32_t op) { return op < AKGEN_OP_COUNT_ ? kRows[op].name : "?"; }
Family VecOpFamily(uint32_t op) { return op < AKGEN_OP_COUNT_ ? kRows[op].family : Family::own; }

RunFn FindRun(const AkgenVec& instr) {
  constexpr RunFn (*kFinders[])(const AkgenVec&) = {FindArithmetic, FindFused, FindBits, FindCast, FindMath};
  for (auto* find : kFinders)
    if (RunFn run = find(instr)) return run;
  return nullptr;
}

}  // namespace akgen::sim
