#include "sim/ops/library.h"

namespace akgen::sim {

OwnFn FindOwn(const AkgenVec& instr) {
  constexpr OwnFn (*kFinders[])(const AkgenVec&) = {FindCompare, FindReduce, FindTensorReduce, FindGather, FindShuffle,
                                                    FindSort,    FindRows,   FindQuant,        FindNorm,   FindLibrary};
  for (auto* find : kFinders)
    if (OwnFn run = find(instr)) return run;
  return nullptr;
}

}  // namespace akgen::sim
