// One AI Vector core running one block: memories, pipes, flags, queues, registers.
//
// Execution is eager: an instruction runs when it is issued unless its pipe waits for a flag that is not set; then it
// and everything behind it is held back until the flag is set. Order between pipes is tracked by vector clocks, so a
// missing wait is found although the eager order happens to give right numbers. With a schedule (exec/schedule.h) every
// instruction is held back until something needs it, so that a missing wait changes the bytes too.
#pragma once
#include <algorithm>
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "akgen/abi.h"
#include "sim/check/findings.h"
#include "sim/exec/launch_types.h"
#include "sim/exec/schedule.h"
#include "sim/machine/chip_model.h"
#include "sim/machine/global_memory.h"
#include "sim/machine/memory.h"
#include "sim/ops/ops.h"
#include "sim/trace/trace.h"

namespace akgen::sim {

struct Flag {
  bool set = false;
  bool twice = false;  // a set came before its predecessor was waited for
  Clock clock;         // what was complete when it was set
  uint32_t site = 0;
  std::vector<Clock> later;  // of further sets that nobody waited for yet
  // A wait is met: it takes the oldest set.
  void Take(Clock& into);
};

// Per block: the generation up to which its accesses to GM are known to be over.
using BlockClock = std::vector<uint32_t>;

struct SetFlagOp {
  Flag* flag;
  uint32_t src, dst;
  int32_t id;
};
struct WaitFlagOp {
  Flag* flag;
  uint32_t src, dst;
  int32_t id;
};
struct BarrierOp {
  uint32_t pipe;
};
struct CrossSetOp {
  uint32_t mode, flag_id;
};
using PipeWork = std::variant<AkgenVec, AkgenCopy, SetFlagOp, WaitFlagOp, BarrierOp, CrossSetOp>;

// Registers that an instruction reads when it is issued (the scalar unit runs ahead of a blocked pipe).
struct IssueState {
  uint64_t mask[2] = {~0ull, ~0ull};
  bool counter = false;
  uint8_t atomic_op = 0, atomic_type = AKGEN_NO_DTYPE;
  float deq_scale = 1;
  int32_t deq_offset = 0;
  uint64_t number = 0;  // of the call into the chip, in program order
};

struct HeldWork {
  // Takes along what an instruction's lists point at: the arrays are the caller's.
  HeldWork(PipeWork w, const IssueState& s, const Clock& c, uint32_t at);
  PipeWork work;
  IssueState state;
  Clock issued;  // the scalar unit's knowledge at issue
  uint32_t site;
  std::vector<uint64_t> lists;
};

struct Pipe {
  Clock clock;
  uint32_t latest = 0;  // epoch of the last instruction executed on it
  const Flag* blocked_on = nullptr;
  WaitFlagOp wait{};
  uint32_t wait_site = 0;
  uint32_t wait_order = 0;  // which of the core's waits it is
  std::deque<HeldWork> held;
};

enum class BufferState : uint8_t { kFree, kAllocated, kQueued, kDequeued };
struct Buffer {
  Memory* memory = nullptr;
  uint32_t offset = 0, bytes = 0;
  BufferState state = BufferState::kFree;
  bool filled_once = false;  // a free flag was set by an earlier FreeTensor
  bool free_due = false;     // FreeTensor issued the set of `freed`, and no wait for it was issued yet
  Flag enqueued, freed;
  uint32_t site = 0;  // the last call that changed its state
  uint8_t* at() const { return memory->At(offset); }
  uint8_t id = 0;  // its number among the memory's live buffers, 0: gone with its TPipe
};
struct Queue {
  uint32_t producer = 0, consumer = 0, depth = 0;
  std::vector<Buffer> buffers;
  std::deque<uint32_t> order;  // indices of queued buffers
  uint32_t next = 0;           // where AllocTensor starts to look: buffers are taken in turn
};
// A write in conflict, judged when its instruction is done: are the bytes others than before?
struct PendingRace {
  Memory* memory = nullptr;
  Conflict conflict;
  std::vector<ByteRange> contested;
  std::vector<uint8_t> before;  // the bytes from `offset` on
  uint32_t pipe = 0, offset = 0;
  size_t bytes = 0;
  const char* what = "";
};
// What InitBuffer gives out of: a memory as the TPipe has it, or a TBufPool.
struct Pool {
  Memory* memory = nullptr;
  uint32_t offset = 0, bytes = 0, used = 0;
  uint32_t left() const { return bytes - std::min(used, bytes); }
};

enum class Wait : uint8_t { kNone, kCross, kSyncAll, kSoftSync, kIb };

class Core {
 public:
  Core(const ChipModel& chip, const Checks& checks, FindingLog& log, const std::vector<MemorySize>& memories);
  void Reset(uint32_t block, const Schedule& schedule);

  // Tells the trace, when there is one, what the block issues at current_site_.
  void Note(TraceKind kind, uint32_t pipe, uint32_t n = 1, uint64_t address = 0) {
    if (!trace_) return;
    if (!HasCount(kind)) NoteWorkDone(current_site_);
    TraceEvent e;
    e.kind = kind, e.pipe = uint8_t(pipe), e.n = n, e.address = address, e.site = current_site_;
    trace_->Add(block_, e);
  }

  // Tells it of the kernel's own scalar work since the last time (exec/scalar_work.cc).
  void NoteWorkDone(uint32_t site);
  void AddWork(double cycles) { work_ += cycles; }
  // How many words of a plain access are not among those that the scalar unit used last.
  uint32_t NewWords(const void* address, uint64_t bytes);

  // Places.
  // Interns the caller's return addresses. Never inlined: the first two frames up from it are skipped.
  __attribute__((noinline)) uint32_t SiteIndex();
  const Site& SiteAt(uint32_t index) const { return sites_[index]; }

  // Issue (called by the C interface).
  void Issue(uint32_t pipe, PipeWork work);
  void WaitOnScalar(Flag& flag, uint32_t src, int32_t id);
  Flag& FlagOf(uint32_t src, uint32_t dst, int32_t id) { return flags_[src][dst][id & 7]; }
  void Barrier(uint32_t pipe);
  void EndOfBlock();  // leftovers, deadlock
  bool PipesIdle() const;
  // With a schedule: lets the pipes run as far as they can, or until the flag is set. Without one: nothing.
  void CatchUp();
  void CatchUpUntil(const Flag& flag);
  void CatchUpPipe(uint32_t pipe);  // until that pipe holds nothing back

  // The core's memories. One that it does not have must not be asked for.
  Memory& memory(MemoryId id) const { return *by_id_[size_t(id)]; }
  // The one that tensors at this queue position lie in; the first one when the core has none such.
  Memory& MemoryOf(uint32_t position) const;
  // The one that this address lies in, nullptr when it lies in none.
  Memory* MemoryAt(const void* p) const {
    for (const auto& m : memories_)
      if (m->Holds(p)) return m.get();
    return nullptr;
  }
  const std::vector<std::unique_ptr<Memory>>& memories() const { return memories_; }
  // Accesses to them. `offset` in bytes. False: illegal, reported.
  bool CheckAccess(const Memory& m, const void* address, size_t bytes, bool write, uint32_t align, const char* what);
  void CheckAlignment(const Memory& m, uint32_t at, size_t bytes, bool write, uint32_t align, const char* what);
  // `lost`: a write that leaves nothing meaningful behind.
  void Touch(Memory& m, uint32_t offset, size_t bytes, bool write, uint32_t pipe, const char* what, bool lost = false);
  // Was the instruction of this epoch given plain pointers?
  bool WasRaw(uint32_t epoch) const { return std::binary_search(raw_epochs_.begin(), raw_epochs_.end(), epoch); }
  // Accesses to GM. Null: illegal, reported. With `usable`, an access that only ends beyond its tensor is reported too,
  // but its region comes back with the bytes that lie inside: the rest is dropped, as if it met foreign memory.
  Region* CheckGm(const void* address, size_t bytes, bool write, const char* what, size_t* usable = nullptr);
  void ReportOutsideGm(const void* address, size_t bytes, const char* verb, const char* what);
  // Orders an access to a writable region against earlier ones of this and other blocks, then records it. `data`: what
  // a write brings (to tell harmless double writes of equal bytes from real ones), or null.
  // `pipe` may be kRawScalar. `atomic`, of a read: a look at what another block may be writing.
  void TouchGm(Region& r, size_t offset, size_t bytes, bool write, uint32_t pipe, bool atomic, const uint8_t* data);

  // A finding at the current place: of no bytes in particular, of bytes of a memory, of bytes of `memory` in Global
  // Memory or nowhere.
  void Report(FindingKind kind, std::string message, bool warning = false) {
    Report(kind, std::move(message), warning, *memories_[0], 0, 0);
  }
  void Report(FindingKind kind, std::string message, bool warning, const Memory& m, uint64_t address, uint64_t bytes);
  void Report(FindingKind kind, std::string message, bool warning, const std::string& memory, uint64_t address,
              uint64_t bytes, const std::string& buffer = "");
  // Names the write that should have defined the byte at `offset` of a memory as the next finding's other side, if
  // there is one.
  void BlameShortWrite(const Memory& m, size_t offset);
  // That write, for the undefined byte at `offset`.
  WrittenBy OriginOf(const Memory& m, size_t offset) const {
    if (uint32_t origin = m.origins.At(offset)) return m.origins[origin];
    const Conflict c = m.history.NearestWrite(uint32_t(offset), born_);
    return {c.site, c.pipe, int(block_), false};
  }
  // The next finding's other side, told together with it.
  void OtherSide(uint32_t site, const char* what, uint32_t pipe, int block = -1) { other_ = {site, what, pipe, block}; }
  // A buffer's turns: FreeTensor ends one, AllocTensor (and whatever hands it out again) begins one.
  void EndTurn(Buffer& b, uint32_t site);
  void BeginTurn(const Buffer& b);
  void ReportFreed(const Memory& m, const NamedBuffer& b, uint32_t at, size_t bytes, const std::string& access);
  // An access that leaves its buffer.
  void ReportOwner(const Memory& m, uint32_t at, size_t bytes, const std::string& access);
  void ReportRace(const Memory& m, const Conflict& c, bool write, uint32_t pipe, uint32_t offset, size_t bytes,
                  const char* what, bool same);
  void ReportDeadlock(
      const std::string& message);  // at the current place; names the set that was meant, if there is one
  std::string WaitsFor() const;     // who waits for whom, for a deadlock report
  const Pipe* BlameWait();          // makes the wait that causes a deadlock the current place

  // Units.
  void RunVector(const AkgenVec& v, const IssueState& state);
  void RunCopy(const AkgenCopy& c, const IssueState& state);

  const ChipModel& chip_;
  const Checks& checks_;
  FindingLog& log_;
  Trace* trace_ = nullptr;
  uint32_t epoch_ = 0, born_ = 0;  // now; when this block began
  uint32_t waits_ = 0;
  uint32_t block_ = 0;
  Schedule schedule_;
  uint32_t current_pipe_ = 0, current_site_ = 0;  // of the instruction being executed
  uint64_t current_number_ = 0;                   // its number; the scalar unit's is that of the last call
  Pipe pipes_[kPipes];
  Flag flags_[kPipes][kPipes][8];
  uint8_t event_used_[kPipes][kPipes] = {};  // bit per id taken by AllocEventID

  // TPipe.
  void ResetPools();
  void* tpipe_ = nullptr;
  std::deque<Queue> queues_;  // handle = index + 1
  Pool roots_[kMemories];     // what is left of each memory
  std::vector<Pool> pools_;   // handle = index + 1
  uint32_t pool_ = 0;         // handle of the one in use, 0: the TPipe itself
  uint32_t buffers_ = 0;

  // Registers.
  IssueState state_;
  uint64_t ctrl_ = 0, pad_value_ = 0;
  bool pad_value_set_ = false;
  uint64_t cmp_mask_[2] = {0, 0};
  float acc_val_ = 0;
  uint64_t reduce_value_ = 0, reduce_index_ = 0, gather_count_ = 0, mrg_result_ = 0;

  // Cross-core: what the fiber waits for (the counters are the launch's).
  uint32_t cross_waits_[16] = {};  // so far, per flag: names of meetings in the trace
  Wait waiting_ = Wait::kNone;
  uint32_t waiting_flag_ = 0;
  boost::context::fiber resume_;  // of the block, while another runs
  bool finished_ = false;
  uintptr_t stack_top_ = 0, stack_bytes_ = 0;  // of the block's fiber: where the walk over callers ends
  // Which accesses of other blocks are known to be over: those before generation SeenOf(block).
  uint32_t SeenOf(uint32_t block) const { return std::max(seen_all_, block < seen_.size() ? seen_[block] : 0); }
  BlockClock Release();  // what whoever waits for this block now may know
  void Acquire(const BlockClock& clock);
  void SeeAll(uint32_t generation) { seen_all_ = generation; }
  bool looks_ = false;       // went past its cache: it may wait for another block's flag in GM
  uint64_t waits_done_ = 0;  // cross-core waits that ended: progress

  double work_ = 0;                                        // cycles that the trace has not been told of
  static constexpr uint32_t kWordsKept = 16;               // about as many as there are registers
  uintptr_t words_kept_[kWordsKept] = {}, word_next_ = 0;  // addresses / 8; which is replaced next

  uint64_t vector_ops_ = 0, copies_ = 0, bytes_in_ = 0, bytes_out_ = 0;
  Arithmetic arithmetic_;

 private:
  bool NameMeantSet(const Pipe& waiting);
  bool GmOrdered(const Region::Visit& visit, uint32_t pipe);
  void ReportGmRace(Region& r, bool write, bool prior_write, size_t cell, uint32_t pipe);
  void NoteWork(uint32_t pipe, const PipeWork& work, uint32_t site);
  void ReportOverlap(Region& r, size_t cell, size_t offset, size_t bytes, const uint8_t* data);
  void Execute(uint32_t pipe, const PipeWork& work, const IssueState& state, const Clock& issued, uint32_t site);
  void Unblock(Flag& flag);
  void Drain(uint32_t pipe);
  void SettleRaces();
  bool Step(uint32_t pipe, bool force = false);  // runs an instruction the pipe holds back; false: none can run
  bool StepAny();
  void MoveOn();  // after an issue: perhaps a step, perhaps another block's turn
  void RunSet(uint32_t pipe, const SetFlagOp& op);
  void RunWait(uint32_t pipe, const WaitFlagOp& op);
  bool SetsLater(uint32_t pipe, const Flag* flag) const;

  std::vector<std::unique_ptr<Memory>> memories_;
  Memory* by_id_[kMemories] = {};
  SiteTable& sites_;  // of the launch: places of other blocks can be named
  std::vector<PendingRace> pending_races_;
  std::vector<uint32_t> raw_epochs_;  // of instructions given plain pointers, rising
  BlockClock seen_;
  uint32_t seen_all_ = 0;
  bool draining_ = false;
  struct {
    uint32_t site = 0;
    const char* what = "";
    uint32_t pipe = 0;
    int block = -1;
  } other_;
};

void CountArithmetic(const AkgenVec& v, Arithmetic* counts);

// The core whose block runs now, and the launch it belongs to.
struct LaunchState;
extern Core* g_core;
extern LaunchState* g_launch;

}  // namespace akgen::sim
