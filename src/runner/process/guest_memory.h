// The chip's memories as a guest sees them: Unified Buffer and each tensor of Global Memory at
// fixed addresses of their own, wherever they lie on this machine. Every access of a guest to them
// passes here, and is checked, recorded and costed by the chip before it happens.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "guest/machine.h"
#include "sim/machine/global_memory.h"

namespace akgen::runner {

class GuestMemory final : public guest::Outside {
 public:
  // `constants`: the guest's own, which it knows at their place in its own memory and copies like a
  // tensor's bytes.
  explicit GuestMemory(std::span<uint8_t> constants) : constants_(constants) {}
  // Tensors are known by the order in which they were added to Global Memory.
  void Learn();

  // A guest's pointer as the chip takes it. An invalid pointer becomes an address that no machine
  // has, so that the chip reports it like any other wrong pointer, and in the same words every
  // time.
  void* ToHost(uint64_t guest) const;
  // And back: of a place in the running block's Unified Buffer, and of one in Global Memory.
  uint64_t UbToGuest(const void* host) const;
  uint64_t GmToGuest(const void* host) const;

  // One plain load or store. Also asks the chip, unless the guest has just announced this very
  // access by a call.
  uint8_t* Reach(uint64_t address, uint64_t bytes, bool write) override;
  // The guest announced an access; forgotten at its next other call, when the memory may change.
  void Grant(uint64_t address, uint64_t bytes, bool write);
  void ForgetGrants() { grants_.clear(); }

 private:
  struct Range {
    uint64_t begin, end;
    bool write;
  };
  bool Granted(uint64_t address, uint64_t bytes, bool write) const;
  std::span<uint8_t> constants_;
  std::vector<sim::Region*> regions_;  // by serial
  std::vector<Range> grants_;
};

}  // namespace akgen::runner
