// A core's pipes: what each was given and has not executed, flags between them, and what each knows
// of the others.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "akgen/abi.h"
#include "sim/machine/block_order.h"
#include "sim/machine/shadow.h"

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

struct SetFlagOp {
  Flag* flag;
  uint32_t src, dst;
  int32_t id;
};
struct WaitFlagOp {
  Flag* flag;
  uint32_t src, dst;
  int32_t id;  // of the event; negative: kOfQueue, kOfUnits
};
inline constexpr int32_t kOfQueue = -1, kOfUnits = -2;  // a queue's own flag; the unit flags of L0C
// Something for another core, a flag or a job, in this pipe's order; with what the scalar unit knew
// when it issued it.
struct HandOverOp {
  std::function<void(BlockClock done)> send;
  BlockClock issued;
};
struct BarrierOp {
  uint32_t pipe;
};
// By reference: it is larger than all others.
struct CubeOp {
  std::shared_ptr<const AkgenCube> it;
};
using PipeWork =
    std::variant<AkgenVec, AkgenCopy, SetFlagOp, WaitFlagOp, HandOverOp, BarrierOp, CubeOp>;

// Registers that an instruction reads when it is issued (the scalar unit runs ahead of a blocked
// pipe).
struct IssueState {
  uint64_t mask[2] = {~0ull, ~0ull};
  bool counter = false;
  uint8_t atomic_op = 0, atomic_type = AKGEN_NO_DTYPE;
  bool counter_left = false, atomic_left = false;  // on since an earlier launch
  float deq_scale = 1;
  int32_t deq_offset = 0;
  bool deq_set = false, deq_signed = true;
  bool saturate = false, truncate = false;  // SetSaturationFlag: FLOAT on, CAST off
  uint64_t number = 0;                      // of the call into the chip, in program order
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

// Which event ids of each pair of pipes are taken, and by whom.
class EventIds {
 public:
  static constexpr int32_t kCount = 8;
  // One of this pair that is not taken, -1: none is left.
  int32_t Free(uint32_t src, uint32_t dst) const;
  void Take(uint32_t src, uint32_t dst, int32_t id) { used_[src][dst] |= uint8_t(1 << id); }
  bool Taken(uint32_t src, uint32_t dst, int32_t id) const { return used_[src][dst] >> id & 1; }
  void Release(uint32_t src, uint32_t dst, int32_t id) {
    used_[src][dst] &= uint8_t(~(1 << id));
    queued_[src][dst] &= uint8_t(~(1 << id));
  }
  // A queue takes ids of the same eight for its own flags, from the set to the wait. -1: none is
  // left.
  int32_t TakeForQueue(uint32_t src, uint32_t dst);
  bool HeldByQueue(uint32_t src, uint32_t dst, int32_t id) const {
    return queued_[src][dst] >> id & 1;
  }
  // The kernel's own sets that it has issued no wait for, in program order.
  uint32_t& OpenSets(uint32_t src, uint32_t dst, int32_t id) { return open_[src][dst][id]; }
  // The TPipe of a Cube core takes the first ids of M to MTE1 and sets them; at its end it waits
  // for them. A kernel may wait for them, and has then to set them again.
  static constexpr int32_t kStanding = 3;
  void SetStanding();
  void EndStanding();
  // Whether a wait in program order is met by a standing set, which it takes.
  bool TakeStanding(uint32_t src, uint32_t dst, int32_t id);

 private:
  uint8_t used_[kPipes][kPipes] = {};    // a bit per id taken, by AllocEventID or by a queue
  uint8_t queued_[kPipes][kPipes] = {};  // those of queues
  uint32_t open_[kPipes][kPipes][kCount] = {};
  uint8_t standing_ = 0;  // a bit for each id
};

class Pipes {
 public:
  static constexpr int32_t kEventIds = EventIds::kCount;
  // As a block finds them: everything up to `epoch` is past.
  void Reset(uint32_t epoch);

  Pipe& operator[](uint32_t pipe) { return pipes_[pipe]; }
  const Pipe& operator[](uint32_t pipe) const { return pipes_[pipe]; }
  Flag& FlagOf(uint32_t src, uint32_t dst, int32_t id) {
    return flags_[src][dst][id & (kEventIds - 1)];
  }
  const std::array<Flag, kEventIds>& FlagsOf(uint32_t src, uint32_t dst) const {
    return flags_[src][dst];
  }
  // The pipe waits for the flag from now on.
  void Block(uint32_t pipe, const WaitFlagOp& wait, uint32_t site);
  // The pipe that waits for this flag, which is set, takes it and waits no more. kPipes: none does.
  uint32_t Unblock(Flag& flag) {
    for (uint32_t i = 0; i < kPipes; ++i) {
      Pipe& p = pipes_[i];
      if (p.blocked_on != &flag) continue;
      p.blocked_on = nullptr;
      flag.Take(p.clock);
      return i;
    }
    return kPipes;
  }
  bool Idle() const;  // none waits for a flag
  size_t Held() const;
  bool HoldsCrossSet() const;  // is something for other cores among what is held back?
  // What is over once an instruction is that the scalar unit now gives to this pipe: what the two
  // know, and what they have done themselves.
  Clock DoneBefore(uint32_t pipe) const;
  // Everything that any pipe was given is done, and all know it.
  void MeetAll();

  EventIds ids;

 private:
  std::array<Pipe, kPipes> pipes_;
  std::array<std::array<std::array<Flag, kEventIds>, kPipes>, kPipes> flags_;
  uint32_t waits_ = 0;
};

}  // namespace akgen::sim
