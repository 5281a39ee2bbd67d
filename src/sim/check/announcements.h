// What a core announces to the checks that only listen (check/observers.h), and what such a check
// answers. A listening check is a class with an `On` for each announcement that it wants, a
// function of it alone; the core says where it happens.
#pragma once
#include <cstdint>
#include <string>

#include "sim/check/findings.h"
#include "sim/machine/pipes.h"

namespace akgen::sim {

// A finding to be: at the place of what was announced.
struct Remark {
  FindingKind kind;
  std::string message;
  bool warning = false;
};

// The kernel calls SetFlag or WaitFlag, with an id that there is.
struct FlagCall {
  bool set;            // else: wait
  bool cube, mixed;    // on a Cube core; the launch has cores of both types
  uint32_t src, dst;   // pipes
  int32_t id;          // of the event
  bool held_by_queue;  // a queue has set this very flag, and nobody has waited for it yet

  std::string Name() const {  // "SetFlag MTE2->V id 3"
    return std::string(set ? "SetFlag " : "WaitFlag ") + PipeName(src) + "->" + PipeName(dst) +
           " id " + std::to_string(id);
  }
};

}  // namespace akgen::sim
