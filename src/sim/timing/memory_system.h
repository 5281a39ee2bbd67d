// HBM and L2 as the cores share them.
#pragma once
#include <cstdint>
#include <deque>
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
  double rate_, share_ = 0,
                last_ = 0;  // share_: bytes every active transfer has got since the beginning
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

// What one copy asks of the memory system.
struct Transfer {
  double hbm = 0;     // bytes through HBM's share, writes weighed
  double behind = 0;  // … that a write need not wait for: what it drives out of L2
  double l2 = 0;      // bytes served or taken by L2
  double moved = 0;   // bytes that HBM moves
  double missed = 0;  // of them read
  double bypass = 0;  // bytes written past L2
  double cycles = 0;  // least time on the core's own pipe
  double tail = 0;    // cycles the bursts after the first add, whoever else is at work
};

// L2 contents, by reuse distance: a 128-byte sector is there while fewer than l2_bytes were brought
// in since its last use. A sector that was written leaves to HBM when its time is over: a read
// waits for that, a write does not. Nothing here turns on time: only on the order of copies.
class L2 {
 public:
  explicit L2(const TimingParameters& p) : p_(p), lifetime_(uint64_t(p.l2_bytes / kSector)) {}
  struct Reader {
    uint32_t core;
    double progress;  // bytes that the core has copied so far
    bool cube;        // a Cube core
  };
  // Looks up every burst of a copy from or to `address` and brings what is missing.
  Transfer Serve(const TraceEvent& copy, uint64_t address, Reader who);

 private:
  static constexpr uint16_t kCube = 0x8000;
  static constexpr uint32_t kSector = 128, kLine = 512, kPage = 4096;
  struct Page {
    uint32_t used[kPage / kSector] =
        {};  // clock of the last use + 1, 0 never; enough for 500 GB of traffic
    uint32_t written[kPage / kSector] = {};  // clock at which it became dirty + 1, 0 never
    uint16_t core[kPage / kLine] =
        {};  // who used the line last + 1, and kCube if it was a Cube core
    float progress[kPage / kLine] = {};    // and how far that core was
    uint32_t cubes[kPage / kSector] = {};  // Cube cores that have used the sector, a bit each
  };
  void Burst(uint64_t address, uint32_t bytes, bool write, bool bypass, Reader who, Transfer& t);
  void Write(Page& page, uint32_t sector, bool bypass, Transfer& t);
  void Read(Page& page, uint32_t sector, bool bypass, bool ragged, Transfer& t);
  double CubeCopyCycles(const TraceEvent& e, const Transfer& t) const;
  void BringIn(Transfer& t, bool write);
  bool Holds(uint32_t since) const { return since && clock_ + 1 - since < lifetime_; }
  static constexpr uint64_t kChunkPages = 256;
  struct Chunk {
    Page pages[kChunkPages];
    int sharers = 0;  // most Cube cores that have used one of its sectors
  };
  Page& PageAt(uint64_t index);
  const TimingParameters& p_;
  uint64_t lifetime_;
  uint32_t clock_ = 0;  // sectors brought in
  std::deque<std::pair<uint32_t, uint32_t>>
      dirty_;  // clocks at which sectors became dirty: first, how many in a row
  std::unordered_map<uint64_t, std::unique_ptr<Chunk>> chunks_;
  uint64_t last_index_ = UINT64_MAX;  // of the chunk used last
  Chunk* last_chunk_ = nullptr;
};

}  // namespace akgen::sim
