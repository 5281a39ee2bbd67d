// HBM and L2 as the cores share them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "sim/timing/parameters.h"
#include "sim/trace/trace.h"

namespace akgen::sim {

// A pipe of bytes that everyone who transfers shares equally. Time in cycles.
class SharedServer {
 public:
  explicit SharedServer(double bytes_per_cycle) : rate_(bytes_per_cycle) {}
  void Start(double now, double bytes, uint32_t who);
  // When the next transfer ends if nobody else starts, or a huge number.
  double NextEnd() const;
  uint32_t PopEnd();  // ends it: whose it was
  size_t active() const { return ends_.size(); }

 private:
  void Advance(double now);
  using End = std::pair<double, uint32_t>;  // share at which it ends, who
  double rate_, share_ = 0, last_ = 0;      // share_: bytes every active transfer has got since the beginning
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

// What one copy asks of the memory system.
struct Transfer {
  double hbm = 0;     // bytes through HBM's share (writes weighed)
  double l2 = 0;      // bytes served by L2
  double bypass = 0;  // bytes written past L2
  double cycles = 0;  // least time on the core's own pipe
  double tail = 0;    // cycles the bursts after the first add, whoever else is at work
};

// L2 contents, by reuse distance: a 128-byte sector is there when fewer than l2_bytes passed since its last use.
class L2 {
 public:
  explicit L2(const TimingParameters& p) : p_(p), lifetime_(uint64_t(p.l2_bytes / kSector)) {}
  // Looks up every burst of a copy from or to `address` and brings what is missing. `now` in cycles.
  Transfer Serve(const TraceEvent& copy, uint64_t address, uint32_t core, double now);

 private:
  static constexpr uint32_t kSector = 128, kLine = 512, kPage = 4096;
  struct Page {
    uint32_t used[kPage / kSector] = {};  // clock of the last use + 1, 0 never; enough for 500 GB of traffic
    uint16_t core[kPage / kLine] = {};    // who used the line last + 1
    float when[kPage / kLine] = {};
  };
  void Burst(uint64_t address, uint32_t bytes, bool write, bool bypass, uint32_t core, double now, Transfer& t);
  static constexpr uint64_t kChunkPages = 256;
  struct Chunk {
    Page pages[kChunkPages];
  };
  Page& PageAt(uint64_t index);
  const TimingParameters& p_;
  uint64_t lifetime_;
  uint32_t clock_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<Chunk>> chunks_;
  uint64_t last_index_ = UINT64_MAX;  // of the chunk used last
  Chunk* last_chunk_ = nullptr;
};

}  // namespace akgen::sim
