// Where the body of a row is found (sim/ops/table.h).
#include "sim/ops/library.h"

namespace akgen::sim {

RunFn FindRun(const AkgenVec& instr) {
  constexpr RunFn (*kFinders[])(const AkgenVec&) = {FindArithmetic, FindFused, FindBits, FindCast,
                                                    FindMath};
  if (!RowOf(instr.op).Takes(instr)) return nullptr;
  for (auto* find : kFinders)
    if (RunFn run = find(instr)) return run;
  return nullptr;
}

OwnFn FindOwn(const AkgenVec& instr) {
  constexpr OwnFn (*kFinders[])(const AkgenVec&) = {
      FindCompare, FindReduce, FindTensorReduce, FindGather, FindShuffle,
      FindSort,    FindRows,   FindQuant,        FindNorm,   FindLibrary};
  if (!RowOf(instr.op).Takes(instr)) return nullptr;
  for (auto* find : kFinders)
    if (OwnFn run = find(instr)) return run;
  return nullptr;
}

}  // namespace akgen::sim
