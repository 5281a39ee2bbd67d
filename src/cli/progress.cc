#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/terminal.h"

namespace akgen::cli {
namespace {
constexpr int kBar = 24;  // characters
constexpr std::chrono::milliseconds kTerminal{100}, kLog{10000};
}  // namespace

std::string TimeText(double seconds) {
  auto s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

void Progress::Show(size_t done, size_t all, size_t before, const std::string& what) {
  bool terminal = base::MovesCursor(STDERR_FILENO);
  auto now = Clock::now();
  if (now - last_ < (terminal ? kTerminal : kLog) && done != all) return;
  last_ = now;
  double seconds = std::max(1e-3, std::chrono::duration<double>(now - start_).count());
  double rate = double(done - before) / seconds;
  std::string left = rate > 0 ? TimeText(double(all - done) / rate) : "unknown time";
  int full = all ? int(size_t(kBar) * done / all) : kBar;
  if (terminal)
    fmt::print(stderr, "\r\033[K[{}{}] {}/{}  {:.1f}/s  {} left  {}", std::string(size_t(full), '='),
               std::string(size_t(kBar - full), ' '), done, all, rate, left, what);
  else fmt::print(stderr, "{}/{}  {:.1f}/s  {} left\n", done, all, rate, left);
  shown_ = terminal;
}

void Progress::End() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace akgen::cli
