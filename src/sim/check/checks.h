// The four checks, under the names of the vendor's sanitizer, and which of them a run asked for.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/json.h"

namespace akgen::sim {

// kNone: no check's business (the kernel's own assertion, an impossible launch); reported whatever
// is switched on.
enum class Check : uint8_t { kMem, kInit, kRace, kSync, kNone };
std::string_view NameOf(Check check);  // "memcheck", "initcheck", "racecheck", "synccheck", ""

// What is off costs nothing and reports nothing. Accesses outside a memory are stopped all the
// same, silently.
struct Checks {
  bool memory =
      true;  // memcheck: bounds, alignment, buffers, leaks, blocks that overwrite each other
  bool init = true;  // initcheck: undefined data
  bool race = true;  // racecheck: happens-before between and within pipes, between blocks
  bool sync = true;  // synccheck: flags, queues, barriers
  // No check: whether the kernel is compiled with automatic synchronisation, --cce-auto-sync.
  bool auto_sync = true;
  bool On(Check check) const;
};

// {"memcheck": bool, …, "auto_sync": bool}; what is absent is on.
Checks ChecksFromJson(const base::Json& json);
// How records name the mode without it.
inline constexpr const char* kAutoSyncOff = "--cce-auto-sync=off";
// The names of those that are on, in the order above.
base::Json NamesOf(const Checks& checks);

}  // namespace akgen::sim
