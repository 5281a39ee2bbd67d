// What Vector cores of a block have its Cube core do, and what has come of it.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "akgen/abi.h"
#include "sim/machine/block_order.h"

namespace akgen::sim {

struct Job {
  uint64_t number = 0;
  std::vector<uint8_t> record;  // of the headers'; empty: a copy into L1
  AkgenCopy copy{};             // its destination as an offset in L1
  BlockClock ready;             // what was over when it was posted
  uint32_t site = 0;            // where the kernel made the call
};

struct JobBoard {
  struct Client {
    bool registered = false;
    uint32_t objects = 0;  // that may still post
  };
  std::array<Client, 2> clients;  // by Vector core of the block
  uint32_t objects = 0;           // that the first of them registered
  std::deque<Job> waiting;
  uint64_t posted = 0, arrived = 0,
           taken = 0;                 // so many were posted, have come here; the latest one taken
  std::unordered_set<uint64_t> open;  // posted and not done
  std::unordered_map<uint64_t, BlockClock> results;  // of those done and not waited for
};

// Which of so many Vector cores a Cube core that serves them waits for: ": AIV0 …".
std::string WhoIsMissing(const JobBoard& board, uint32_t vectors);

}  // namespace akgen::sim
