// What the blocks of a launch did, each in the order its scalar unit issued it: plain records for
// observers. The functional chip writes them and never reads them: no result depends on a trace.
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "akgen/abi.h"

namespace akgen::sim {

struct IssueState;

enum class TraceKind : uint8_t {
  kVector,
  kCopyIn,
  kCopyOut,
  kCopyUb,  // work of a pipe: PIPE_V, PIPE_MTE2, PIPE_MTE3, PIPE_V
  kSet,
  kWait,  // a flag (`address` names it): set by `pipe`, waited for by `pipe`
  kScalarUb,
  kScalarGm,  // `n` loads or stores of the scalar unit in a row
  kJoin,      // the scalar unit waits until `pipe` has done all it was given
  kBarrier,   // the scalar unit waits until every pipe has
  kMeet,      // the block waits until `repeats` blocks have come to meeting `n`
  kPost,
  kAwait,  // a count per `address` across blocks: raised, waited for and lowered
  kCall,   // `n` calls that only cost the scalar unit its issue time
  kWork,   // `n` cycles of the scalar unit's own work since it last issued something or waited
  kLoad,
  kMmad,
  kFix,  // work of the Cube core's pipes: into L0, L1 or a table; PIPE_M; L0C to L1 (to GM it is
         // kCopyOut)
  kCrossSet,  // cross-core flag `n`, in mode `repeats`, when `pipe` has done what it was given
              // before
  kCrossWait  // … and the scalar unit waits for it
};
// Where a load of the Cube core puts what it takes.
enum class LoadTo : uint8_t { kL0A, kL0B, kL1, kTable };

const char* NameOf(TraceKind kind);  // as a timeline shows it

constexpr uint8_t kHf32Bits = 19;  // of a float that the Cube unit multiplies as HF32
// Elements of K that the Cube unit takes in a cycle, for 16 rows and 16 columns, by bits of an
// operand.
constexpr uint32_t MmadWidth(uint32_t bits) {
  return bits == 4 ? 64 : bits == 8 ? 32 : bits == kHf32Bits ? 8 : bits == 32 ? 4 : 16;
}

struct TraceEvent {
  TraceKind kind = TraceKind::kCall;
  uint8_t pipe = 0;  // AkgenPipe
  uint8_t bits =
      0;  // vector: of the widest operand's element; copies out of L0C, kMmad: of an element
  bool bypass = false;  // copies: the tensor asks not to be kept in L2
  uint16_t op =
      0;  // vector: AkgenVecOp; loads: AkgenCubeOp; copies: 1: from rows to NZ on the way (ND2NZ)
  uint16_t bursts = 0;  // copies: contiguous pieces
  uint32_t site = 0;    // the core's SiteIndex
  uint32_t n = 0;  // vector, kFix: elements; copies: bytes of one burst; loads: bytes, at their
                   // full rate; kMmad: fractal products, one a cycle; else see TraceKind
  uint32_t repeats = 0;   // vector: repeats of 256 bytes; loads: LoadTo
  float bank_reads = 0;   // vector: repeats lost because two reads (or two writes) of one repeat
                          // meet in a bank group
  float bank_writes = 0;  // vector: repeats whose write meets the next repeat's read in a bank
  uint64_t address = 0;   // copies: in GM; flags, counts: their name
  int64_t stride = 0;     // copies: bytes from the start of a burst to the start of the next, in GM
  bool operator==(const TraceEvent&) const = default;
};

// What differs between iterations of a kernel's loop: where a copy goes, and how many scalar
// accesses or calls came in a row.
inline bool HasPlace(TraceKind k) {
  return k == TraceKind::kCopyIn || k == TraceKind::kCopyOut || k == TraceKind::kCopyUb;
}
inline bool HasCount(TraceKind k) {
  return k == TraceKind::kScalarUb || k == TraceKind::kScalarGm || k == TraceKind::kCall ||
         k == TraceKind::kWork;
}

// Of the Unified Buffer: bytes in use at most, and those of queues of one buffer with the flags
// that give such a buffer back.
struct UbUse {
  uint32_t used = 0, single = 0;
  std::set<uint64_t> single_flags;
  void Use(uint32_t bytes) { used = bytes > used ? bytes : used; }
  void UseSingle(uint32_t block, uint32_t bytes, uint64_t flag) {
    if (block == 0) single += bytes;
    single_flags.insert(flag);
  }
};

// A record is kept as the number of its shape, which is the event without those: 4 bytes, and 8 for
// a place, 4 for a count.
class Trace {
 public:
  // Keeps at most `most_records` records in all; what comes later is dropped and `cut()` says so.
  Trace(uint32_t blocks, size_t most_records) : blocks_(blocks), left_(most_records) {}
  void Add(uint32_t block, const TraceEvent& e);
  // The same as Add of VectorEvent, quicker for instructions that come again.
  void AddVector(uint32_t block, const AkgenVec& v, const uint8_t* ub, uint32_t counter_total,
                 uint32_t pipe, uint32_t site);
  bool cut() const { return cut_; }

  // The cores that each block of the launch starts: their records follow each other, the Cube
  // core's first. Where they are several, "block" here means one of them.
  void SetCores(uint32_t cube, uint32_t vector) { cube_ = cube, vector_ = vector; }
  uint32_t cube() const { return cube_; }
  uint32_t vector() const { return vector_; }
  bool OnCube(uint32_t block) const { return block % (cube_ + vector_) < cube_; }

  uint32_t block_count() const { return uint32_t(blocks_.size()); }
  size_t records() const { return records_; }
  const std::vector<TraceEvent>& shapes() const { return shapes_; }
  // The words of a block: a shape's number, then the low and the high half of its place, or its
  // count.
  const std::vector<uint32_t>& words(uint32_t block) const { return blocks_[block].words; }
  // All blocks' records in full, 48 bytes each; made when first asked for.
  const std::vector<std::vector<TraceEvent>>& blocks() const;

  UbUse ub;
  void CopyUse(const Trace& o) {
    cube_ = o.cube_, vector_ = o.vector_;
    ub = o.ub;
    if (blocks_.size() == o.blocks_.size())
      for (size_t b = 0; b < blocks_.size(); ++b) blocks_[b].executed = o.blocks_[b].executed;
  }
  // Instructions that a block's own code executed, where whoever runs it counts them (a guest).
  void Executed(uint32_t block, uint64_t instructions) { blocks_[block].executed = instructions; }
  uint64_t executed(uint32_t block) const { return blocks_[block].executed; }

 private:
  struct Block {
    std::vector<uint32_t> words;
    uint32_t last = kNoShape;  // shape of the latest record
    uint64_t executed = 0;     // instructions of its own code
  };
  static constexpr uint32_t kNoShape = UINT32_MAX;
  // What VectorEvent reads of an instruction.
  struct VectorKey {
    uint64_t part[8] = {};
    bool operator==(const VectorKey&) const = default;
  };
  struct Known {
    VectorKey key;
    uint32_t shape = UINT32_MAX;
  };
  uint32_t ShapeOf(const TraceEvent& e);
  uint32_t ShapeAfter(uint32_t last, const TraceEvent& e);
  bool Take();  // room for one record more?
  void GrowSlots();
  static VectorKey KeyOf(const AkgenVec& v, const uint8_t* ub, uint32_t counter_total,
                         uint32_t pipe, uint32_t site);

  std::vector<Block> blocks_;
  std::vector<TraceEvent> shapes_;
  std::vector<uint32_t> after_;  // by shape: the one that came next the last time
  std::vector<uint32_t> slots_;  // open addressing over shapes_: number + 1, 0 free
  std::vector<Known> known_;     // vector instructions seen lately, by hash
  size_t left_, records_ = 0;
  bool cut_ = false;
  uint32_t cube_ = 0, vector_ = 1;
  mutable std::vector<std::vector<TraceEvent>> full_;  // see blocks()
};

// Records of one instruction. `ub`: where the core's Unified Buffer lies in this process;
// `counter_total`: elements the mask register names in counter mode, 0 in norm mode.
TraceEvent VectorEvent(const AkgenVec& v, const uint8_t* ub, uint32_t counter_total);
TraceEvent CopyEvent(const AkgenCopy& c);

}  // namespace akgen::sim
