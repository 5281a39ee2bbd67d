// The checks as observers of a core's execution: it announces what it is about to do, and each
// observes what concerns it. Those that keep books of memories, flags or blocks are members. Those
// that only listen are rows of a list: a further one is a class and a row, and no line in what
// executes.
#pragma once
#include <tuple>
#include <vector>

#include "sim/check/cache_check.h"
#include "sim/check/gm_race_check.h"
#include "sim/check/init_check.h"
#include "sim/check/mem_check.h"
#include "sim/check/pipe_pair_check.h"
#include "sim/check/queue_flag_check.h"
#include "sim/check/race_check.h"
#include "sim/check/sync_check.h"

namespace akgen::sim {

using Listeners = std::tuple<QueueFlagCheck, PipePairCheck>;

struct Observers {
  Observers(const Checks& on, Now& now, SharedNow& shared, Pipes& pipes, Reporter& out)
      : mem(on, now, out),
        race(on, now, pipes, out),
        gm_race(on, now, shared, pipes, out, mem, race.raw()),
        init(on, now, shared, out),
        sync(on, now, pipes, out),
        cache(on, now, shared, out) {}

  // May this access happen? False: it leaves its memory, and whatever is switched on it must not.
  bool Allow(const Memory& m, const Access& a) { return mem.OnAccess(m, a); }
  Region* AllowGm(const Access& a, size_t* usable = nullptr) { return mem.OnGmAccess(a, usable); }
  // It happens now.
  void Touch(Memory& m, const Access& a) { race.OnAccess(m, a); }
  void TouchGm(Region& r, const Access& a, bool atomic = false, const uint8_t* data = nullptr) {
    gm_race.OnAccess(r, a, atomic, data);
    cache.OnAccess(r, a, atomic && !a.write);
  }

  // What the listeners say to an announcement (check/announcements.h), in the order of the list.
  template <class Announcement>
  static std::vector<Remark> Heard(const Announcement& a) {
    std::vector<Remark> out;
    const auto ask = [&]<class Check>(const Check&) {
      if constexpr (requires { Check::On(a); })
        if (auto remark = Check::On(a)) out.push_back(std::move(*remark));
    };
    std::apply([&](const auto&... check) { (ask(check), ...); }, Listeners());
    return out;
  }

  MemCheck mem;
  RaceCheck race;
  GmRaceCheck gm_race;
  InitCheck init;
  SyncCheck sync;
  CacheCheck cache;
};

}  // namespace akgen::sim
