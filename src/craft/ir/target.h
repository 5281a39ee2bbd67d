// What the planner and the lowering have to know of a chip.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "chip/chip.h"

namespace akgen::craft {

// Bytes of UB that lowered kernels leave to temporaries of the library's mathematical functions.
inline constexpr int64_t kUbReserve = 8192;

// The timing model's numbers in whole cycles and bytes per cycle, as the emitted host code weighs
// plans by them: only their ratio decides, and a choice near the best one is good.
struct Costs {
  int64_t launch_core = 0;   // what a launch takes longer for each core
  int64_t copy_latency = 0;  // from the last byte asked for to data that others may read
  int64_t copy_least = 0;    // what a copy takes at least
  int64_t in_rate = 0;       // bytes per cycle into one core at most, and out of it
  int64_t out_rate = 0;
  int64_t shared_in = 0;  // into all cores together
  int64_t shared_out = 0;
  int64_t vector_head = 0;  // before the first repeat of a vector instruction
  int64_t sync_all = 0;     // from the last core's arrival at sync_all() until all go on
};

// Of a Cube core, in cycles, bytes and elements, as block() weighs sizes of blocks by them.
struct CubeCosts {
  double in_rate = 0;      // bytes per cycle from L2 into L1
  double row = 0;          // a row of a matrix on its way into L1
  double left_rate = 0;    // bytes per cycle into L0A
  double right_rate = 0;   // bytes per cycle into L0B
  double load_head = 0;    // a load into L0 before its first byte
  double product_gap = 0;  // an Mmad beyond its fractals
  double out_rate = 0;     // elements per cycle from L0C to memory
  double shared_in = 0;    // bytes per cycle from L2 into all cores together
};

struct Target {
  int64_t cores = 0;      // Vector cores: what vector_cores() answers at most
  int64_t ub_bytes = 0;   // of UB for a kernel's buffers: what compiler and library leave of it
  int64_t event_ids = 0;  // of each directed pair of pipes
  int64_t align = 0;      // rows of tiles begin at multiples of so many bytes
  Costs costs;
  int64_t cube_cores = 0;  // what cube_cores() answers at most
  int64_t l1_bytes = 0;    // memories of a Cube core
  int64_t l0a_bytes = 0;
  int64_t l0b_bytes = 0;
  int64_t l0c_bytes = 0;
  CubeCosts cube = {};
};

// AK0121: the chip names no timing model, or its file is broken.
base::Result<Target> TargetOf(const chip::Chip& chip);
// Of the chip of that name; errors of chip::LoadChip besides.
base::Result<Target> LoadTarget(std::string_view chip = chip::kDefaultChip);

}  // namespace akgen::craft
