#include "sim/check/reporter.h"

#include <utility>

namespace akgen::sim {

void Reporter::Report(FindingKind kind, std::string message, bool warning,
                      const std::string& memory, uint64_t address, uint64_t bytes,
                      const std::string& buffer) {
  RawFinding f;
  f.kind = kind;
  f.message = std::move(message);
  f.site = SiteAt(now_.site);
  f.pipe = PipeName(now_.pipe);
  f.block = int(now_.block);
  f.memory = memory;
  f.buffer = buffer;
  f.address = address;
  f.bytes = bytes;
  f.warning = warning;
  f.made = std::exchange(made_, false);
  if (other_.site) {
    f.other = SiteAt(other_.site);
    f.other_what = other_.what;
    f.other_pipe = PipeName(other_.pipe);
    f.other_block = other_.block < 0 ? int(now_.block) : other_.block;
    other_ = {};
  }
  log_.Add(std::move(f));
}

}  // namespace akgen::sim
