// What long work shows: on a terminal a line that the next one replaces, with a bar, the rate and
// the time left; else a line every ten seconds. On standard error. Times come from a clock that
// never jumps.
#pragma once
#include <chrono>
#include <functional>
#include <string>

namespace akgen::cli {

class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  ~Progress() { End(); }
  // `done` of `all` things are done, `before` of them before this process began. `all` 0: nobody
  // knows how many.
  void Show(size_t done, size_t all, size_t before, const std::string& what);
  // For work that says what it does now. Must not outlive this.
  std::function<void(size_t done, size_t all, const std::string& what)> Steps() {
    return [this](size_t done, size_t all, const std::string& what) { Show(done, all, 0, what); };
  }
  void End();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now(), last_ = start_;
  bool shown_ = false;
};

}  // namespace akgen::cli
