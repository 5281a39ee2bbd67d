#include "cli/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>

#include "base/terminal.h"

namespace akgen::cli {
namespace {
constexpr int kBar = 24;  // characters
constexpr std::chrono::milliseconds kTerminal{100}, kLog{10000};

std::string Counted(size_t done, size_t all, size_t before, double seconds) {
  if (all == 0) return (done ? fmt::format("{}  ", done) : "") + base::TimeText(seconds);
  const double rate = double(done - std::min(done, before)) / std::max(1e-3, seconds);
  return fmt::format(
      "{}/{}  {:.1f}/s  {} left", done, all, rate,
      rate > 0 ? base::TimeText(double(all - std::min(all, done)) / rate) : "unknown time");
}
}  // namespace

void Progress::Show(size_t done, size_t all, size_t before, const std::string& what) {
  const bool terminal = base::MovesCursor(STDERR_FILENO);
  const auto now = Clock::now();
  const bool at_once = terminal && (!shown_ || done == all);
  if (!at_once && now - last_ < (terminal ? kTerminal : kLog)) return;
  last_ = now;
  const std::string counted =
      Counted(done, all, before, std::chrono::duration<double>(now - start_).count());
  if (!terminal) {
    fmt::print(stderr, "{}  {}\n", counted, what);
    return;
  }
  const size_t full = all ? std::min<size_t>(kBar, kBar * done / all) : 0;
  const std::string bar =
      all ? "[" + std::string(full, '=') + std::string(kBar - full, ' ') + "] " : "";
  fmt::print(stderr, "\r\033[K{}{}  {}", bar, counted, what);
  shown_ = true;
}

void Progress::End() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace akgen::cli
