// Records of the Cube core's instructions, for the trace.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>

#include "akgen/abi.h"
#include "sim/trace/trace.h"

namespace akgen::sim {

// What an instruction moves or computes; nothing where it does nothing. Instructions of several
// matrices are as many records.
void CubeEvents(const AkgenCube& c, uint32_t pipe, const std::function<void(TraceEvent)>& add);

// Unit flags let Fixpipe begin while the Mmad before it is at work, and the next Mmad while Fixpipe
// is: as flags between the beginnings of the two.
class UnitOrder {
 public:
  // The flags that come before this instruction.
  void Before(const AkgenCube& c, const std::function<void(TraceEvent)>& add);

 private:
  struct Range {
    uint64_t begin, end;  // addresses in L0C
  };
  uint32_t made_ = 0;        // Mmads that set units and that no Fixpipe has waited for
  std::deque<Range> taken_;  // by Fixpipes that no Mmad has waited for
};

}  // namespace akgen::sim
