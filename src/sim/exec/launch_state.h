// What the blocks of one launch share.
#pragma once
#include <setjmp.h>

#include <array>
#include <memory>
#include <vector>

#include "sim/exec/core.h"
#include "sim/exec/fiber_stacks.h"
#include "sim/exec/jobs.h"

namespace akgen::sim {

// A cross-core flag as one block's core sees it.
struct CrossFlag {
  FlagSets raised;    // sets that this core has not waited for
  FlagSets sent;      // its own sets that others have still to match
  uint32_t site = 0;  // its latest set
  uint32_t pipe = 0;  // and the pipe that set it
  uint32_t mode = 0;  // and its mode
  bool standing() const { return raised.count() || sent.count(); }
};
inline constexpr uint32_t kCrossFlags = 16;

// Where cores wait until all have come: SyncAll of all cores and of Vector cores alone have flags
// of their own on the chip, the software form has memory.
enum MeetingKind : uint32_t { kOfAllCores, kOfOneType, kSoftware, kMeetings };
struct Meeting {
  uint32_t arrived = 0, generation = 0;
  BlockClock arriving, met;  // what those had done that have arrived, and that met at the latest
};

struct LaunchState {
  const LaunchRequest* request = nullptr;
  LaunchResult* result = nullptr;
  FiberStacks stacks;  // before what runs on them
  FindingLog log;
  Checks checks;                             // asked for, and what the timing model needs
  std::unique_ptr<Trace> trace;              // only when modelled time is asked for
  std::vector<Core*> live;                   // by block, nullptr before start and after the end
  std::vector<std::unique_ptr<Core>> cores;  // all made, reused block after block
  std::vector<Core*> idle;
  boost::context::fiber scheduler;  // of the running block
  SharedNow shared;
  std::vector<std::array<CrossFlag, kCrossFlags>>
      cross;  // by block; they outlive it, as the chip's counters do
  BlockClock det_clock;
  std::array<Meeting, kMeetings> meetings;
  std::unordered_map<size_t, FlagSets> ib_flags;
  std::vector<JobBoard> jobs;  // by block; empty: it has no Cube core
  uint32_t det_next = 0;       // next block of the determine-compute order
  uint32_t det_site = 0;       // of the latest NotifyNextBlock
  bool hardware_sync = false;  // SyncAll was called in its hardware form
  uint32_t reserved_flag = 0;  // a flag of SyncAll's that was set by hand, 0: none
  Schedule schedule;           // of the blocks among each other
  uint64_t polls =
      0;  // reads, since the latest copy, with which a block may wait for another one's write
  Clock global;
  bool cube_worked = false;  // a Cube core has done something
  bool stop = false;
  sigjmp_buf crash;
};

// Of this core among those of its type: GetBlockIdx.
inline uint32_t IndexOf(const Core& c) {
  const BlockCores& cores = g_launch->request->cores;
  return cores.cube && !c.cube() ? c.group * cores.vector + c.sub_block : c.group;
}
// How many cores of this one's type the launch has.
inline uint32_t PeersOf(const Core& c) {
  const LaunchRequest& r = *g_launch->request;
  return r.blocks * (c.cube() ? r.cores.cube : r.cores.vector);
}
// Of all cores of a launch: Core::now.block.
inline uint32_t UnitsOf(const LaunchRequest& r) { return r.blocks * r.cores.all(); }
// Those of them that start, block after block.
inline std::vector<uint32_t> UnitsToRun(const LaunchRequest& r) {
  std::vector<uint32_t> units;
  for (uint32_t i = 0; i < (r.only.empty() ? r.blocks : uint32_t(r.only.size())); ++i)
    for (uint32_t unit = 0; unit < r.cores.all(); ++unit)
      units.push_back((r.only.empty() ? i : r.only[i]) * r.cores.all() + unit);
  return units;
}

// The running core's pipe has come to a CrossCoreSetFlag: those who wait for it may go on.
void SendCrossFlag(uint32_t pipe, uint32_t mode, uint32_t id, const BlockClock& done);
// Leaves the running block's fiber until the scheduler resumes it.
void YieldBlock();
// The scalar unit loads or stores: through a tensor, which automatic synchronisation sees, or not;
// through its data cache or past it.
void ScalarAccess(const void* p, uint64_t bytes, bool write, uint32_t kind,
                  bool cached);  // AKGEN_SCALAR_*
// Ends the launch from inside a block (assert, trap, unsupported); does not return.
[[noreturn]] void StopLaunch(const char* status, std::string detail);

}  // namespace akgen::sim
