// Constants of a kernel's object that have a name: tables that it copies into Unified Buffer.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guest/image.h"
#include "sim/machine/global_memory.h"

namespace akgen::runner {

// A guest's constants as the chip sees them: a copy at an address that is the same in every run.
// Nothing is mapped for a guest without named constants.
class GuestTables {
 public:
  explicit GuestTables(const guest::Image& image);
  ~GuestTables();
  GuestTables(const GuestTables&) = delete;
  std::span<uint8_t> constants() const { return constants_; }
  const std::vector<sim::GmRegion>& tables() const { return tables_; }

 private:
  std::span<uint8_t> constants_;
  std::vector<sim::GmRegion> tables_;
};

// Those of a shared object for this machine that was loaded at `base`.
std::vector<sim::GmRegion> TablesOf(std::string_view object, uintptr_t base);

}  // namespace akgen::runner
