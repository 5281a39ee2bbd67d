// Cross-core flags between the cores of a launch: counters, as the chip keeps them
// (sim/exec/sync.cc).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/timing/fifo.h"

namespace akgen::sim {

class CrossFlags {
 public:
  // Cores of a block follow each other: `cube` of them (0 or 1), then `vector`.
  CrossFlags(size_t cores, uint32_t cube, uint32_t vector)
      : cores_(cores), cube_(cube), vector_(vector) {}

  // Core `from` sets flag `id`. `raised`: the cores whose counters rise thereby.
  void Set(uint32_t from, uint32_t id, uint32_t mode, double at,
           const std::function<void(uint32_t)>& raised) {
    cores_[from].sent[id & 15].push(at);
    const std::vector<uint32_t> setters = Parties(from, mode, true);
    for (uint32_t s : setters)
      if (cores_[s].sent[id & 15].empty()) return;
    double latest = 0;
    for (uint32_t s : setters)
      latest = std::max(latest, cores_[s].sent[id & 15].front()), cores_[s].sent[id & 15].pop();
    for (uint32_t r : Parties(from, mode, false)) cores_[r].raised[id & 15].push(latest), raised(r);
  }
  // Sets that this core has not waited for.
  Fifo<double>& Raised(uint32_t core, uint32_t id) { return cores_[core].raised[id & 15]; }

 private:
  struct OfCore {
    std::array<Fifo<double>, 16> sent, raised;
  };
  // Mode 0: all cores of a type; 1: the Vector cores of a block; 2: from a block's Cube core to its
  // Vector cores, or back.
  std::vector<uint32_t> Parties(uint32_t from, uint32_t mode, bool setters) const {
    const uint32_t all = cube_ + vector_, first = from / all * all;
    const bool on_cube = from % all < cube_;
    if (mode != 0 && all == 1) return {from};
    std::vector<uint32_t> out;
    for (uint32_t i = mode == 0 ? 0 : first; i < (mode == 0 ? cores_.size() : first + all); ++i) {
      const bool cube = i % all < cube_;
      if (mode == 0 ? cube == on_cube : mode == 1 ? !cube : cube == (setters == on_cube))
        out.push_back(i);
    }
    return out;
  }
  std::vector<OfCore> cores_;
  uint32_t cube_, vector_;
};

}  // namespace akgen::sim
