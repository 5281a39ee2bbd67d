// Numbers of the timing model, as one of the files in data/timing has them (chip/timing_file.h).
#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/timing_file.h"

namespace akgen::sim {

// Of the Cube core, in cycles of the core.
struct CubeTiming {
  double l0a_rate = 0;      // B/cycle of MTE1 into L0A (and L1, for Fill)
  double l0b_rate = 0;      // … into L0B
  double load_head = 0;     // cycles of a load before its first byte
  double image_head = 0;    // … of LoadData (3D)
  double table_rate = 0;    // B/cycle from L1 into BiasTable and Fixpipe Buffer
  double table_head = 0;    // cycles before their first byte
  double mmad_gap = 0;      // cycles that an Mmad takes beyond its fractal products
  double mmad_latency = 0;  // cycles from its end to a result that others may read
  double fix_l1_rate = 0;   // elements/cycle of Fixpipe from L0C to L1
  double fix_gm_rate = 0;   // … to GM
  double fix_head = 0;      // cycles before the first element
  double l1_row = 0;        // cycles of MTE2 per row that ND2NZ turns on the way into L1
  double l1_latency = 0;  // cycles from the last byte asked for to data in L1 that others may read
  double l1_line = 0;  // cycles per part of a line of L2, for each Cube core that reads parts of it
  double l1_share = 1;  // of l2_rate, taken by a byte that a Cube core reads
  double cube_queue =
      0;  // instructions that a pipe of the Cube core holds before the scalar unit waits
};

// Of the eager baseline.
struct EagerTiming {
  double eager_reduce_us =
      0;  // microseconds that a framework's kernel takes longer when it reduces
  double eager_efficiency =
      1;  // of hbm_rate, which a framework's kernels reach for all they read and write
  double eager_vector =
      0;                  // of the documented rates' time, which their arithmetic takes beyond that
  double eager_cube = 1;  // of the Cube cores' full rate, which their products reach
};

// Of the scalar unit, in cycles.
struct ScalarTiming {
  double scalar_issue = 0;  // cycles of the scalar unit per instruction or queue call
  double scalar_ub = 0;     // cycles per GetValue or SetValue on UB
  double scalar_gm =
      0;  // cycles per scalar access to GM that brings a line, or passes the data cache
  double data_cache = 0;      // bytes of GM that the scalar unit's data cache holds, in lines of 64
  double scalar_plain = 0;    // cycles per simple operation of the kernel's own code
  double scalar_slow = 0;     // … per division, and per operation on floating-point numbers
  double scalar_word = 0;     // … per word of 8 bytes loaded or stored, wherever it lies
  double scalar_library = 0;  // … per call of a library function
  double scalar_least =
      0;  // … per instruction executed for the kernel, whatever it did: the least a block takes
};

// Global parameters; the file says of each whether it is documented, fitted or assumed. Cycles are
// core cycles, rates bytes per microsecond for the whole chip and bytes per cycle for one core.
struct TimingParameters : ScalarTiming, CubeTiming, EagerTiming {
  double clock_mhz = 1850;  // core cycles per microsecond
  double vector_head = 0;   // cycles before the first repeat of a vector instruction
  double bank_read = 0;     // cycles a read-read (write-write) bank conflict costs a repeat
  double bank_write = 0;    // cycles a read-write bank conflict costs a repeat
  double mte2_rate = 0;     // B/cycle of one core's MTE2 at most
  double l2_core_rate = 0;  // B/cycle of one core's MTE2 from L2
  double block_start = 0;   // cycles of the scalar unit before a block's first instruction
  double mte2_latency = 0;  // cycles from the last byte asked for to data that others may read
  double mte2_floor = 0;    // cycles a copy takes at least
  double mte2_burst = 0;    // cycles each burst after the first adds
  double mte3_rate = 0;     // B/cycle of one core's MTE3 at most
  double hbm_rate = 0;      // B/us read by all cores together
  double write_share =
      0;  // of hbm_rate, taken by each byte that is written to it: dirty lines leaving L2, past L2
  double l2_rate = 0;      // B/us read by all cores together from L2
  double l2_bytes = 0;     // capacity
  double shared_line = 0;  // cycles per 512-byte line that another core used last
  double same_line = 0;    // … per 128 bytes, when that core is as far as this one
  double hand_off = 0;     // cycles from a flag, the end of a pipe or a barrier to its waiter
  double sync_all = 0;     // cycles from the last block's arrival until all go on
  double slowest =
      0;  // of the mean core's waiting for memory, by which the slowest core waits longer
  double launch_us = 0;                              // microseconds of a launch on one core
  double launch_core_us = 0;                         // by which each further core begins later
  std::vector<chip::TimingFile::VectorRate> vector;  // by AkgenVecOp
};

// Reads data/timing/<name>.toml below base::HomeDir(). AK0121: the file is broken (place = file and
// key).
base::Result<TimingParameters> LoadTiming(std::string_view name);
base::Result<TimingParameters> ParseTiming(std::string_view toml, const std::string& where);

// As a message for the process that runs kernels, and back.
base::Json ToJson(const TimingParameters& p);
TimingParameters TimingFromJson(const base::Json& j);

}  // namespace akgen::sim
