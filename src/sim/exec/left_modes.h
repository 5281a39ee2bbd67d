// Modes that a core's registers keep from one launch of a program to the next: of copies and masks,
// saturation. A TPipe and InitSocState put them back.
#pragma once
#include <cstdint>
#include <map>
#include <utility>

#include "sim/check/findings.h"
#include "sim/machine/chip_model.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {

class Core;

class LeftModes {
 public:
  // At the end of a block, and before the next one on the same core of the chip begins.
  void Save(const Core& core);
  void Load(Core& core) const;

 private:
  struct Left {
    IssueState issue;
    uint64_t ctrl = 0;
    Site atomic, counter;  // where they were switched on
  };
  std::map<std::pair<CoreKind, uint32_t>, Left>
      of_;  // by type, and number among the cores of this type
};

// An instruction of the running block uses a mode that an earlier launch has left on: AK1306, where
// it was switched on.
void ReportLeftMode(Core& core, uint32_t switched_on, const char* mode, const char* instruction,
                    const char* does);

}  // namespace akgen::sim
