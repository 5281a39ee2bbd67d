// Which of an instruction's results depend on undefined data: determined by running its body again.
//
// A body that walks its operands itself is run again on other bytes where nothing was defined. What
// comes out otherwise than at first depends on them, whatever they are to the instruction: source,
// mask, condition, index or what is sorted. It costs nothing where everything read is defined.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/machine/memory.h"
#include "sim/ops/ops.h"

namespace akgen::sim {

// One instruction. Offsets are bytes in `memory`; `on`: is anybody interested?
class Dependence {
 public:
  Dependence(Memory& memory, bool on) : memory_(memory), on_(on) {}

  // Before the body goes on: it is about to read these, and to write those.
  void OnRead(uint32_t at, size_t bytes);
  void OnWrite(uint32_t at, size_t bytes);
  // The body has said itself what its results are made of.
  void OnMarked() { marked_ = true; }
  uint32_t origin() const { return origin_; }  // of what was read undefined

  // After the body: marks what depends on undefined bytes, or on undefined registers of `before`,
  // in the memory and in `after`.
  void Settle(OwnFn body, const AkgenVec& v, const Extent& extent, const RunArgs& args,
              const SpecialRegisters& before, SpecialRegisters* after);

 private:
  struct Range {
    uint32_t at;
    size_t bytes, saved;  // where in saved_ its bytes are
  };
  size_t Save(uint32_t at, size_t bytes);
  void Try(size_t filling, OwnFn body, const AkgenVec& v, const Extent& extent, const RunArgs& args,
           const SpecialRegisters& before, SpecialRegisters* after);

  Memory& memory_;
  std::vector<Range> undefined_, written_;
  std::vector<uint8_t> saved_;
  // Of all that was written, from the first byte to the last: as it was before, as it is after,
  // what depends.
  uint32_t from_ = 0;
  std::vector<uint8_t> before_, result_, depends_;
  uint32_t origin_ = 0;
  bool on_, marked_ = false;
};

}  // namespace akgen::sim
