// Without LLVM: binutils' addr2line names the lines. Runs in the confined child.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "toolchain/builder/compiler.h"

namespace akgen::toolchain {

std::vector<SourceLine> SymbolizeObject(const std::string& so,
                                        const std::vector<uint64_t>& return_addresses) {
  // Only hexadecimal numbers and the cache's own file name reach the command line.
  std::string command = "addr2line -f -C -e '" + so + "'";
  char number[32];
  for (uint64_t a : return_addresses) {
    std::snprintf(number, sizeof number, " 0x%llx", static_cast<unsigned long long>(a ? a - 1 : 0));
    command += number;
  }
  std::vector<SourceLine> out(return_addresses.size());
  FILE* pipe = so.find('\'') == std::string::npos ? ::popen(command.c_str(), "r") : nullptr;
  if (!pipe) return out;
  char line[8192];
  auto next = [&] {
    std::string text = std::fgets(line, sizeof line, pipe) ? line : "";
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  };
  for (auto& l : out) {
    l.function = next();
    std::string place = next();
    size_t colon = place.rfind(':');
    if (colon == std::string::npos || place.starts_with("??")) continue;
    l.file = place.substr(0, colon);
    while (l.file.starts_with("./")) l.file.erase(0, 2);
    l.line = std::atoi(place.c_str() + colon + 1);
  }
  ::pclose(pipe);
  return out;
}

}  // namespace akgen::toolchain
