// A linked guest program, written by the builder and read by the machine that runs it: an ELF
// executable for RISC-V, so that ordinary tools read it too; nothing in it is trusted.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace akgen::guest {

// A constant of the program with a name.
struct Table {
  std::string name;            // as linked
  uint64_t at = 0, bytes = 0;  // in Image::constants
};

struct Image {
  std::vector<uint32_t> code;        // at kCodeBase; never readable or writable as data
  std::vector<uint8_t> constants;    // at kConstantsBase; never writable
  std::vector<Table> tables;         // in them
  std::vector<uint8_t> variables;    // at kVariablesBase, with what starts as zero
  size_t of_launch = SIZE_MAX;       // of them: bytes of those that are not each block's own
  std::vector<std::string> imports;  // by number: names of functions that lie outside
  std::map<std::string, uint64_t> functions;  // addresses in the code
  std::vector<uint64_t> initialisers;         // code that C++ runs before anything else, in order
};

// Whether the file is meant for ReadImage at all (it may still be malformed).
bool IsImage(std::string_view file);
// AK0304: malformed, or beyond the limits of guest/layout.h.
base::Result<Image> ReadImage(std::string_view file);

}  // namespace akgen::guest
