// A progress bar with rate and time left on a terminal, a line now and then elsewhere. Times come from a clock that
// never jumps.
#pragma once
#include <chrono>
#include <string>

namespace akgen::cli {

class Progress {
 public:
  // `done` of `all` things are done, `before` of them before this process began.
  void Show(size_t done, size_t all, size_t before, const std::string& what);
  void End();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), last_ = start_ - std::chrono::hours(1);
  bool shown_ = false;
};

// "4 s", "2 min 10 s", "3 h 5 min".
std::string TimeText(double seconds);

}  // namespace akgen::cli
