// One core, AI Vector or AI Cube, running one block.
//
// Execution is eager: an instruction runs when it is issued unless its pipe waits for a flag that
// is not set; then it and everything behind it is held back until the flag is set. Order between
// pipes is tracked by vector clocks, so a missing wait is found although the eager order happens to
// give right numbers. With a schedule (exec/schedule.h) every instruction is held back until
// something needs it, so that a missing wait changes the bytes too.
//
// A core is its parts: memories and pipes (sim/machine), registers, what TPipe gave out, and the
// checks that everything it does is announced to (sim/check/observers.h).
#pragma once
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "akgen/abi.h"
#include "sim/check/observers.h"
#include "sim/exec/core_memories.h"
#include "sim/exec/launch_types.h"
#include "sim/exec/pace.h"
#include "sim/exec/polling.h"
#include "sim/exec/schedule.h"
#include "sim/exec/slices.h"
#include "sim/exec/tpipe.h"
#include "sim/exec/trace_writer.h"
#include "sim/exec/unit_flags.h"
#include "sim/machine/chip_model.h"
#include "sim/machine/memory.h"
#include "sim/machine/now.h"
#include "sim/machine/pipe.h"
#include "sim/ops/ops.h"

namespace akgen::sim {

struct Registers {
  void Reset() { issue = {}, ctrl = pad_value = 0, pad_value_set = false; }
  IssueState issue;
  uint64_t ctrl = 0, pad_value = 0;
  bool pad_value_set = false;
  uint8_t pad_value_type = AKGEN_NO_DTYPE;
  uint32_t atomic_site = 0, counter_site = 0;  // where the mode was switched on
  SpecialRegisters special;                    // they outlive a block, as the chip's do
};

enum class Wait : uint8_t { kNone, kCross, kSyncAll, kSoftSync, kIb, kJob, kJobs };

// What the block waits for across cores (the counters are the launch's).
struct CrossCore {
  void Reset() { *this = CrossCore{.waits_done = waits_done}; }
  uint32_t waits[16] = {};  // so far, per flag: names of meetings in the trace
  Wait waiting = Wait::kNone;
  uint32_t waiting_flag = 0;
  bool in_turn = false;     // has called InitDetermineComputeWorkspace
  bool looks = false;       // went past its cache: it may wait for another block's flag in GM
  uint64_t waits_done = 0;  // waits that ended: progress
  Polling polling;
};

// The block's own thread of control.
struct BlockFiber {
  boost::context::fiber resume;  // while another block runs
  bool finished = false;
  uint32_t library_site = 0;  // while a library's call is carried out: where the kernel made it
  std::optional<uint32_t>
      call_site;  // in a call of a guest's: where it is made; 0: nobody has asked yet
  uintptr_t stack_top = 0, stack_bytes = 0;  // where the walk over callers ends
};

// Of the Cube core: registers that are set by calls of their own.
struct CubeState {
  void Reset() { *this = CubeState(); }
  CubeState() { registers[AKGEN_CUBE_REG_REPEAT] = uint64_t{1} << 16; }  // LoadData (3D) runs once
  uint64_t registers[AKGEN_CUBE_REG_COUNT] = {};
  std::vector<uint8_t> sparse_index;  // what LoadDataWithSparse left for L0B, by byte of index
};

struct IssueCounts {
  uint64_t vector_ops = 0, copies = 0, bytes_in = 0, bytes_out = 0, cube_ops = 0;
  Arithmetic arithmetic;
};

class Core {
 public:
  Core(const ChipModel& chip, const Checks& checks, FindingLog& log, SharedNow& shared,
       const std::vector<MemorySize>& sizes, CoreKind kind = CoreKind::kVector);
  // `unwritten`: what bytes on the chip hold that nobody has written.
  void Reset(uint32_t block, const Schedule& schedule, uint8_t unwritten = kUnwritten);

  Memory& memory(MemoryId id) const { return memories[id]; }
  const ChipModel& chip() const { return chip_; }
  CoreKind kind() const { return kind_; }
  bool cube() const { return kind_ == CoreKind::kCube; }

  // Interns the caller's return addresses. Never inlined: the first two frames up from it are
  // skipped.
  __attribute__((noinline)) uint32_t SiteIndex();
  // What follows is done by the scalar unit, at the caller's place.
  __attribute__((always_inline)) void AtScalar() {
    now.pipe = AKGEN_PIPE_S;
    now.site = SiteIndex();
  }

  // Issue (called by the C interface).
  void Issue(uint32_t pipe, PipeWork work);
  void WaitOnScalar(Flag& flag, uint32_t src, int32_t id);
  void Barrier(uint32_t pipe);
  void HandOver(uint32_t pipe,
                std::function<void(BlockClock done)> send);  // in the order of that pipe
  void EndOfBlock();                                         // leftovers, deadlock
  // Now, whatever its pipe waits for.
  void Execute(uint32_t pipe, const PipeWork& work, const IssueState& state, const Clock& issued,
               uint32_t site);

  CoreMemories memories;
  Now now;
  Pipes pipes;
  Registers registers;
  TPipeState tpipe;
  Slices slices;
  CrossCore cross;
  CubeState cube_state;
  UnitFlags units{memories, pipes, now};
  Pace pace{*this};
  uint32_t group = 0,
           sub_block = 0;  // the block it belongs to, and which of the block's Vector cores it is
  BlockFiber fiber;
  TraceWriter trace;
  IssueCounts counts;
  Reporter findings;
  Observers watch;

 private:
  void RunVector(const AkgenVec& v, const IssueState& state);
  void RunCopy(const AkgenCopy& c, const IssueState& state);
  void RunInstruction(Pipe& p, uint32_t pipe, const AkgenVec* v, const AkgenCopy* c,
                      const IssueState& state);
  void RunOnCube(Pipe& p, uint32_t pipe, const PipeWork& work, const IssueState& state);
  void RunHandOver(uint32_t pipe, const HandOverOp& op);
  void RunSet(uint32_t pipe, const SetFlagOp& op);
  void Drain(uint32_t pipe);

  const ChipModel& chip_;
  const CoreKind kind_;
};

// A cast from float32 to a shorter float.
bool Narrows(const AkgenVec& v);
void CountArithmetic(const AkgenVec& v, Arithmetic* counts);

// The core whose block runs now, and the launch it belongs to.
struct LaunchState;
extern Core* g_core;
extern LaunchState* g_launch;

}  // namespace akgen::sim
