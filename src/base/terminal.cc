#include "base/terminal.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
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

std::string Printable(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = uint8_t(text[i]);
    // The second set of controls is C2 80 to C2 9F in UTF-8; some terminals take the bare bytes for
    // it.
    const bool follows = i > 0 && uint8_t(text[i - 1]) >= 0x80;
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ||
                         (c >= 0x80 && c < 0xa0 && (!follows || uint8_t(text[i - 1]) == 0xc2));
    if (control)
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    else
      out += char(c);
  }
  return out;
}

std::string TimeText(double seconds) {
  const auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

bool Colours(int fd) { return MovesCursor(fd) && Setting("NO_COLOR").empty(); }

}  // namespace akgen::base
