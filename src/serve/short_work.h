// A thread for work that takes little time.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace akgen::serve {

class ShortWork {
 public:
  ShortWork() : thread_([this] { Run(); }) {}
  ~ShortWork() { Stop(); }
  bool Add(std::function<void()> work);  // false: too much waits already
  void Stop();                           // after what runs now

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  bool end_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace akgen::serve
