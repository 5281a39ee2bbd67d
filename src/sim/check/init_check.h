// initcheck: which bytes hold data that was written. Undefinedness travels with data and is
// reported where it matters: scalar reads, offsets, outputs at the end.
#pragma once
#include "sim/check/checks.h"
#include "sim/check/reporter.h"
#include "sim/machine/access.h"
#include "sim/machine/global_memory.h"

namespace akgen::sim {

class InitCheck {
 public:
  InitCheck(const Checks& on, const Now& now, SharedNow& shared, Reporter& out)
      : on_(on), now_(now), shared_(shared), out_(out) {}
  bool on() const { return on_.init; }

  // An element-wise instruction over n elements: the first operand is made of those that are read.
  struct Operand {
    uint32_t offset, bits;  // of one element
    bool read;
    size_t Bytes(uint32_t n) const { return (size_t(n) * bits + 7) / 8; }
  };
  // How an undefined byte of an operand reaches the result: all of its element; the bytes from its
  // own place on, as sums of integers carry; nothing of it (x - x).
  enum class Reach : uint8_t { kElement, kUpwards, kNowhere };
  void OnCompute(Memory& m, const Operand* operands, int count, uint32_t n, Reach reach) {
    if (on_.init) Compute(m, operands, count, n, reach);
  }
  // Bytes that are written, whatever they are made of; and such as hold nothing from now on.
  void OnDefine(Memory& m, uint32_t at, size_t bytes) { m.defined.Set(at, bytes, true); }
  void OnUndefine(Memory& m, uint32_t at, size_t bytes, uint32_t origin = 0) {
    if (on_.init) m.Undefine(at, bytes, origin);
  }

  // A copy brings `bytes` of a region to at + left; around them, up to `total`, lies padding.
  struct Load {
    uint32_t at;
    size_t total, left, bytes;
    bool pad_defined;
  };
  void OnLoad(Memory& m, const Load& to, const Region& r, size_t offset);
  // Part of what was to be loaded lies beyond its tensor.
  void OnForeignLoad(Memory& m, uint32_t at, size_t bytes) {
    if (on_.init) m.defined.Set(at, bytes, false);
  }
  void OnStore(const Memory& m, uint32_t at, size_t bytes, Region& r, size_t offset, bool atomic);
  // The same of bytes that an instruction has made: `made` says which are defined, from its byte 0
  // on; `first` is a byte of `m` that an undefined one came from.
  void OnStoreMade(const Memory& m, uint32_t first, const DefinedBits& made, size_t bytes,
                   Region& r, size_t offset, bool atomic);
  void OnMove(const Memory& m, uint32_t from, Memory& to_memory, uint32_t to, size_t bytes);

  // The scalar unit's accesses.
  void OnScalar(Memory& m, const Access& a);
  void OnScalarGm(Region& r, const Access& a);

  // The bytes are taken for offsets of further accesses. False: they are not all defined
  // (reported).
  bool OnOffsets(const Memory& m, uint32_t at, size_t bytes, const char* what);
  // A register is read, of which `undefined` says whether undefined data went into it. `what` names
  // who reads.
  void OnRegister(bool undefined, const char* what);

  // Names the write that should have defined the byte at `offset` of a memory as the next finding's
  // other side, if there is one.
  void BlameShortWrite(const Memory& m, size_t offset);

 private:
  void Store(const DefinedBits& from, uint32_t at, size_t bytes, Region& r, size_t offset,
             bool atomic);
  void Compute(Memory& m, const Operand* operands, int count, uint32_t n, Reach reach);
  WrittenBy OriginOf(const Memory& m, size_t offset) const;

  const Checks& on_;
  const Now& now_;
  SharedNow& shared_;
  Reporter& out_;
};

// Outputs of which bytes were not written, or come from undefined data: at the end of a launch that
// ended well.
void CheckOutputs(FindingLog& log);

}  // namespace akgen::sim
