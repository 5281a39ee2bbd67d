#include "base/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace akgen::base {
namespace {
std::string_view Setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}
}  // namespace

bool MovesCursor(int fd) {
  const std::string_view term = Setting("TERM");
  return ::isatty(fd) != 0 && !term.empty() && term != "dumb";
}

bool Colours(int fd) { return MovesCursor(fd) && Setting("NO_COLOR").empty(); }

}  // namespace akgen::base
