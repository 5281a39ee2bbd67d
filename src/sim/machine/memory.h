// One of a core's memories: its bytes, what is known of them, and which buffers own them.
//
// Which there are is a table (akgen/memories.inc). Everything that is kept per byte belongs to the
// memory, so that another one is another instance.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "akgen/positions.h"
#include "sim/machine/chip_model.h"
#include "sim/machine/live_buffers.h"
#include "sim/machine/origin.h"
#include "sim/machine/shadow.h"

namespace akgen::sim {

enum class MemoryId : uint8_t {
#define AKGEN_MEMORY(name, ...) name,
#include "akgen/memories.inc"
#undef AKGEN_MEMORY
};
inline constexpr size_t kMemories = AKGEN_MEM_COUNT;

struct MemoryRow {
  const char* name;   // in messages and records: "UB"
  const char* title;  // "Unified Buffer"
  uint32_t align;     // bytes that the start of an operand is a multiple of
  PipeList pipes;     // that reach it
};
const MemoryRow& RowOf(MemoryId id);

// What the vector unit works on.
inline constexpr MemoryId kVectorMemory = MemoryId::UB;

// The memories of a core and their sizes in bytes, its most used one first. A launch with Cube
// cores gives each core the memories of both types: a kernel lays out the other type's as well, and
// uses only its own.
struct MemorySize {
  MemoryId id;
  uint32_t bytes;
};
std::vector<MemorySize> MemoriesOf(const ChipModel& chip, const BlockCores& cores = {},
                                   CoreKind kind = CoreKind::kVector);

class Memory {
 public:
  // `bytes`: a multiple of 32.
  Memory(MemoryId id, uint32_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  // As a block finds it: full of `unwritten`, nothing defined, no buffers. What was accessed before
  // stays known.
  void Reset(uint8_t unwritten);

  MemoryId id() const { return id_; }
  const MemoryRow& row() const { return RowOf(id_); }
  const char* name() const { return row().name; }
  uint32_t bytes() const { return bytes_; }
  uint8_t* base() const { return base_; }
  uint8_t* At(uint32_t offset) const { return base_ + offset; }
  bool Holds(const void* p) const {
    return static_cast<const uint8_t*>(p) >= base_ &&
           static_cast<const uint8_t*>(p) < base_ + bytes_;
  }
  uint32_t OffsetOf(const void* p) const {
    return uint32_t(static_cast<const uint8_t*>(p) - base_);
  }
  // The bytes hold nothing defined from now on; `origin`: why, as origins() knows it.
  void Undefine(size_t offset, size_t bytes, uint32_t origin) {
    defined.Set(offset, bytes, false);
    origins.Set(offset, bytes, origin);
  }

  // What these bytes hold is anybody's guess from now on; whether they are defined, others say. By
  // itself what was there stays, as it does on the chip; a launch with other contents shows whether
  // somebody counts on it.
  void Forget(size_t offset, size_t bytes);
  // In such a launch: what a bit is that undefined data decides.
  std::optional<bool> taken_for() const;

  DefinedBits defined;
  Origins origins;  // of what is undefined
  AccessHistory history;
  LiveBuffers buffers;
  bool over_budget = false;  // InitBuffer gave out addresses beyond its end

 private:
  MemoryId id_;
  uint32_t bytes_;
  uint8_t* base_ = nullptr;
  bool used_ = false;  // by a block: a new one is as a block finds it
  uint8_t unwritten_;
};

}  // namespace akgen::sim
