// Findings of one core: completed by what the core is doing and by the names of places and buffers.
#pragma once
#include <string>

#include "sim/check/findings.h"
#include "sim/machine/memory.h"
#include "sim/machine/now.h"

namespace akgen::sim {

class Reporter {
 public:
  // `memory`: whose name findings bear that are about no bytes in particular.
  Reporter(FindingLog& log, const Now& now, const char* memory)
      : log_(log), now_(now), memory_(memory) {}

  // A finding at the current place: of no bytes in particular, of bytes of a memory of the core, of
  // bytes of `memory` in Global Memory or nowhere.
  void Report(FindingKind kind, std::string message, bool warning = false) {
    Report(kind, std::move(message), warning, memory_, 0, 0);
  }
  void Report(FindingKind kind, std::string message, bool warning, const Memory& m,
              uint64_t address, uint64_t bytes) {
    Report(kind, std::move(message), warning, m.name(), address, bytes,
           bytes ? m.buffers.NameAt(address) : "");
  }
  void Report(FindingKind kind, std::string message, bool warning, const std::string& memory,
              uint64_t address, uint64_t bytes, const std::string& buffer = "");
  // The next finding's other side, told together with it.
  void OtherSide(uint32_t site, const char* what, uint32_t pipe, int block = -1) {
    other_ = {site, what, pipe, block};
  }

  // The next finding is of undefined bytes that an instruction made of others (RawFinding::made).
  void Made() { made_ = true; }

  // For findings that say everything themselves.
  void Add(RawFinding finding) { log_.Add(std::move(finding)); }
  void AddUnlessPolled(const void* read, RawFinding finding) {
    log_.AddUnlessPolled(read, std::move(finding));
  }
  const Site& SiteAt(uint32_t index) const { return log_.sites()[index]; }
  SiteTable& sites() { return log_.sites(); }

 private:
  FindingLog& log_;
  const Now& now_;
  const char* memory_;
  bool made_ = false;
  struct {
    uint32_t site = 0;
    const char* what = "";
    uint32_t pipe = 0;
    int block = -1;
  } other_;
};

}  // namespace akgen::sim
