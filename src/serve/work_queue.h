// Work that threads of its own do, in order.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace akgen::serve {

class WorkQueue {
 public:
  WorkQueue(int threads, size_t most_waiting);
  ~WorkQueue() { Stop(); }
  bool Add(std::function<void()> work);  // false: too much waits, or it ends
  void Stop();                           // after what runs now

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  const size_t most_waiting_;
  bool end_ = false;
  std::vector<std::thread> threads_;  // last: they use the others
};

}  // namespace akgen::serve
