// The on-chip memories of one core: by name, by the position of a queue, by address.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/machine/memory.h"
#include "sim/machine/positions.h"

namespace akgen::sim {

class CoreMemories {
 public:
  explicit CoreMemories(const std::vector<MemorySize>& sizes) {
    for (const MemorySize& size : sizes) Add(size);
  }
  Memory& Add(const MemorySize& size) {
    all_.push_back(std::make_unique<Memory>(size.id, size.bytes));
    return *(by_id_[size_t(size.id)] = all_.back().get());
  }
  // One that the core does not have must not be asked for.
  Memory& operator[](MemoryId id) const { return *by_id_[size_t(id)]; }
  bool Has(MemoryId id) const { return by_id_[size_t(id)]; }
  // The one that tensors at this queue position lie in; the first one when the core has none such.
  Memory& AtPosition(uint32_t position) const {
    const PositionRow* row = RowOfPosition(position);
    Memory* m = row ? by_id_[size_t(row->memory)] : nullptr;
    return m ? *m : own();
  }
  // The one that this address lies in, nullptr when it lies in none.
  Memory* Holding(const void* p) const {
    for (const auto& m : all_)
      if (m->Holds(p)) return m.get();
    return nullptr;
  }
  // What copies without a position move to and from: UB, on a Cube core L1.
  Memory& own() const { return *all_[0]; }
  const std::vector<std::unique_ptr<Memory>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<Memory>> all_;
  Memory* by_id_[kMemories] = {};
};

}  // namespace akgen::sim
