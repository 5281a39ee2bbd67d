// State shared by the acl functions: allocations, streams, captures, findings.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "acl/acl_base.h"
#include "sim/acl/program.h"
#include "sim/exec/left_modes.h"

namespace akgen::sim {

struct Allocation {
  size_t bytes = 0;   // asked for
  size_t mapped = 0;  // with what alignment adds
  Site site;          // who asked
  std::string name;   // "GM0", "GM1", … in order of allocation
};

// A captured graph: the steps in the order they were given.
struct Capture {
  struct Step {
    std::string what;
    std::function<void()> run;
  };
  std::vector<Step> steps;
};

struct Stream {
  bool busy = false;  // work since the last synchronisation
};

class AclState {
 public:
  static AclState& Get();

  std::mutex mutex;
  ProgramOptions options;
  ProgramReport report;
  FindingLog findings;
  LeftModes left;
  std::map<uintptr_t, Allocation> device, host;
  std::set<uintptr_t> freed;  // addresses given back, for a better sentence on a double free
  std::map<void*, std::unique_ptr<Stream>> streams;
  std::set<void*> events;
  std::set<void*> contexts;
  std::map<void*, std::unique_ptr<Capture>> models;
  std::unique_ptr<Capture> capture;  // open capture, or null
  Stream default_stream;
  int32_t device_id = 0;
  size_t device_bytes = 0;
  uintptr_t own_begin = 0;  // the program's object
  size_t own_bytes = 0;
  uint64_t serial = 0;
  aclError last_error = 0;
  std::string message, shown_message;

  // Remembers and returns the error.
  aclError Fail(aclError error, std::string text);
  void Report(FindingKind kind, std::string text, void* caller, bool warning = false);
  // The device allocation that holds [address, address + bytes), or null.
  const Allocation* FindDevice(const void* address, size_t bytes, uintptr_t* base = nullptr) const;
  Stream* FindStream(void* stream);
  // Runs the step now, or appends it to the open capture.
  void Submit(Stream* stream, std::string what, std::function<void()> step);
  aclError DeviceError() const;  // of the first launch that failed, else 0
};

Site SiteOf(void* caller);

}  // namespace akgen::sim
