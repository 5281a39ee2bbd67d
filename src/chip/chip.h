// What an Ascend SoC is, as far as a kernel can notice: cores, memories, events, limits and the
// published rates. One file per SoC in data/chips/<name>.toml; every number stands there with its
// unit and its source.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::chip {

inline constexpr std::string_view kDefaultChip = "910B2";

// Local memory of one core. Sizes in bytes; `align` is what a start address must be a multiple of,
// in bytes.
struct Memory {
  uint32_t bytes = 0;
  uint32_t align = 32;
  bool operator==(const Memory&) const = default;
};

// Bytes per cycle of one core's pipe on a path, as published. Consumed by timing models only.
struct Rate {
  double bytes_per_cycle = 0;
  double head_cycles = 0;  // fixed cost of one instruction on the path
  std::string source;
  bool operator==(const Rate&) const = default;
};

// How many there may be at a time.
struct Limits {
  int event_ids = 0;         // per directed pair of pipes
  int event_ids_static = 0;  // how many of them code without TPipe may use (the rest are reserved)
  int cross_core_flags = 0;  // ids of CrossCoreSetFlag, modes 0 to 2
  int cross_core_max_sets = 0;       // sets that a cross-core counter holds before it hangs
  int max_buffers = 0;               // InitBuffer buffers per TPipe
  int max_tensors_per_position = 0;  // AllocTensor in a row over all queues of one TPosition
  int max_repeat = 255;              // of an instruction
  bool operator==(const Limits&) const = default;
};

struct Banks {
  int groups = 0, per_group = 0;
  uint32_t bytes = 0;  // of a bank
  bool operator==(const Banks&) const = default;
};

// Bytes of a core's memories that are not the kernel's.
struct Reserved {
  uint32_t ub_tail = 0;  // at the end of UB, for the compiler
  uint32_t l1_tail = 0;  // and of L1 (messages between cores)
  uint32_t ub_api = 0;   // of UB, that some APIs (Select …) take unless switched off
  bool operator==(const Reserved&) const = default;
};

struct Chip {
  std::string name;  // "910B2", as in data/chips
  std::string soc;   // "Ascend910B2", as the vendor's platform file spells it
  std::string
      family;  // "Ascend910B": what the platform calls the chips that host code treats alike
  std::string timing;     // its timing model, as in data/timing; "": nothing is published
  int npu_arch = 0;       // value of __NPU_ARCH__: 2201 (A2, A3), 2002 (310P)
  int aicore = 0;         // value of __CCE_AICORE__: 220, 200
  bool runnable = false;  // false: known, but the simulator does not implement this architecture
  bool split = true;      // Cube and Vector are separate cores with their own Scalar unit

  int aic = 0;                   // Cube cores
  int aiv = 0;                   // Vector cores
  double clock_mhz = 0;          // of the cores
  double system_clock_mhz = 50;  // tick of GetSystemCycle

  Memory ub, l1, l0a, l0b, l0c, bias_table, fixpipe_buffer;
  Reserved reserved;
  uint64_t l2_bytes = 0;
  uint64_t gm_bytes = 0;       // device memory, 0 when the vendor leaves it blank
  uint64_t lib_workspace = 0;  // bytes GetLibApiWorkSpaceSize answers

  Limits limits;

  uint32_t data_block_bytes = 32;
  uint32_t repeat_bytes = 256;
  uint32_t gm_align = 1;     // bytes, of a GM address in DataCopyPad
  uint32_t cache_line = 64;  // bytes, scalar data cache
  Banks ub_banks;

  std::map<std::string, Rate> rates;  // "gm_to_ub", "ub_to_gm", "vector" …

  // UB bytes a kernel may use: what GetCoreMemSize(UB) answers on the host.
  uint32_t UsableUb() const { return ub.bytes - reserved.ub_tail; }
  uint32_t UsableL1() const { return l1.bytes - reserved.l1_tail; }
  // Bytes per cycle of a path, 0 when nothing is published.
  double BytesPerCycle(const std::string& path) const {
    auto rate = rates.find(path);
    return rate == rates.end() ? 0 : rate->second.bytes_per_cycle;
  }
  // The family as an operator definition's AddConfig spells it: "ascend910b".
  std::string ConfigName() const;
  double CyclesPerMicrosecond() const { return clock_mhz; }
  bool operator==(const Chip&) const = default;
};

// Reads data/chips/<name>.toml below base::HomeDir(). "Ascend910B2" and "ascend910b2" are accepted
// for "910B2". AK0120: no such chip (the fix names near matches). AK0121: the file is broken (place
// = file and key).
base::Result<Chip> LoadChip(std::string_view name = kDefaultChip);

// Parses the text of such a file; `where` names it in errors. AK0121.
base::Result<Chip> ParseChip(std::string_view toml, const std::string& where);

// A chip as a message for another process, all of it. AK0014: a field is missing or of another
// kind.
base::Json ToJson(const Chip& chip);
base::Result<Chip> ChipFromJson(const base::Json& json);

// Names LoadChip accepts, sorted.
std::vector<std::string> ChipNames();

}  // namespace akgen::chip
