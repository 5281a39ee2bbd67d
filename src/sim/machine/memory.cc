#include "sim/machine/memory.h"

#include <cstring>
#include <new>

#include "sim/machine/mapping.h"

namespace akgen::sim {
namespace {
#define AKGEN_PIPES(...) {__VA_ARGS__}
constexpr MemoryRow kMemoryRows[kMemories] = {
#define AKGEN_MEMORY(name, title, align, pipes) {#name, title, align, AKGEN_PIPES pipes},
#include "akgen/memories.inc"
#undef AKGEN_MEMORY
};
#undef AKGEN_PIPES
}  // namespace

const MemoryRow& RowOf(MemoryId id) { return kMemoryRows[size_t(id)]; }

std::vector<MemorySize> MemoriesOf(const ChipModel& chip, const BlockCores& cores, CoreKind kind) {
  const MemorySize ub{MemoryId::UB, chip.ub_bytes};
  if (!cores.cube) return {ub};
  std::vector<MemorySize> all{{MemoryId::L1, chip.l1_bytes},   {MemoryId::L0A, chip.l0a_bytes},
                              {MemoryId::L0B, chip.l0b_bytes}, {MemoryId::L0C, chip.l0c_bytes},
                              {MemoryId::BT, chip.bt_bytes},   {MemoryId::FB, chip.fb_bytes}};
  all.insert(kind == CoreKind::kVector ? all.begin() : all.end(), ub);
  return all;
}

Memory::Memory(MemoryId id, uint32_t bytes) : id_(id), bytes_(bytes), unwritten_(kUnwritten) {
  base_ = MapOnChip(bytes_);
  if (!base_) throw std::bad_alloc();
  defined.Resize(bytes_);
  origins.Resize(bytes_);
  history.Resize(bytes_, row().pipes);
  buffers.Resize(bytes_);
}

Memory::~Memory() { Unmap(base_, bytes_); }

void Memory::Reset(uint8_t unwritten) {
  if (used_ || unwritten != kUnwritten) std::memset(base_, unwritten, bytes_);
  used_ = true, unwritten_ = unwritten;
  defined.Fill(false);
  origins.Reset();
  buffers.Reset();
  over_budget = false;
}

std::optional<bool> Memory::taken_for() const {
  return unwritten_ == kUnwritten ? std::nullopt : std::optional(unwritten_ != 0);
}

void Memory::Forget(size_t offset, size_t bytes) {
  if (unwritten_ != kUnwritten) std::memset(base_ + offset, unwritten_, bytes);
}

}  // namespace akgen::sim
