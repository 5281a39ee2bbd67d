// What a replay keeps of records, pipes and cores. For replay.cc alone.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/timing/fifo.h"
#include "sim/timing/replay.h"

namespace akgen::sim::replay {
constexpr uint32_t kPipeCount = AKGEN_PIPE_COUNT;
constexpr uint32_t kNobody = UINT32_MAX;  // for whom L2 makes room behind a write
constexpr double kNever = std::numeric_limits<double>::max();

constexpr uint32_t kNoFlag = UINT32_MAX;

// What a record's shape says, worked out once.
struct Shape {
  TraceEvent event;
  double cycles = 0, lost = 0;  // vector unit
  double head = 0;              // Cube core: of a load
  uint32_t flag = kNoFlag;      // flags are numbered
};

struct Record {
  const Shape* shape;
  uint64_t address;  // of a copy
  uint32_t n;        // of scalar records
};

struct Issued {
  const Shape* shape;
  uint64_t address;
  double at;  // when the scalar unit handed it over
};

struct PipeState {
  Fifo<Issued> queue;
  double now = 0;           // it is busy or held until then
  double data = 0;          // when what it moved is there for others
  bool idle = true;         // waits for the scalar unit
  bool moving = false;      // waits for memory
  uint32_t held = kNoFlag;  // waits for this flag
  double held_since = 0, began = 0, own_end = 0, tail = 0;
  double allowed = 0;  // when the last flag that it waited for was there
  double ended = 0;    // when it was done with what it did last
  uint8_t after = 0;   // the pipe that has kept it from going on since then
  uint8_t parts = 0;   // of the transfer that have not ended
  double left = -1;    // Cube core: when its last instruction left it, whose latency is not counted
                       // yet; -1: none
  void Done(uint8_t why) { ended = now, after = why; }
  // Has it done all it was given? `until`: when.
  bool Drained(double& until) const {
    if (!queue.empty() || moving || held != kNoFlag) return false;
    until = std::max({until, now, data});
    return true;
  }
  void Begin(double at) {
    queue.clear();
    now = data = at;
    idle = true, moving = false, held = kNoFlag, parts = 0;
    held_since = began = own_end = tail = allowed = 0;
    ended = at, after = AKGEN_PIPE_S;
    left = -1;
  }
};

struct CoreState {
  uint32_t core = 0, block = 0;
  const uint32_t *next = nullptr, *end = nullptr;  // words of the block's trace
  double scalar = 0;                               // the scalar unit's time
  double start = 0;                                // when the block began
  double copied = 0;                               // bytes brought in so far
  double paid =
      0;  // cycles for what it did since it last issued or waited: fitted with the work between
  bool waiting = false;  // the scalar unit waits: for a pipe, a flag, the others
  bool done = true;
  bool cube = false;  // a Cube core
  bool full = false;  // the scalar unit waits for room in a queue
  uint8_t after = 0;  // the pipe that the scalar unit waited for last, or kOtherCores
  PipeState pipes[kPipeCount];
  std::vector<Fifo<double>> set;  // by flag: times of sets nobody waited for yet
  void Spend(double cycles) { scalar += cycles, paid += cycles; }
};

}  // namespace akgen::sim::replay
