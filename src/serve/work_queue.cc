#include "serve/work_queue.h"

#include <utility>

namespace akgen::serve {

WorkQueue::WorkQueue(int threads, size_t most_waiting) : most_waiting_(most_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

bool WorkQueue::Add(std::function<void()> work) {
  std::lock_guard lock(mutex_);
  if (end_ || waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(work));
  wake_.notify_one();
  return true;
}

void WorkQueue::Stop() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
    wake_.notify_all();
  }
  for (std::thread& t : threads_)
    if (t.joinable()) t.join();
}

void WorkQueue::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return end_ || !waiting_.empty(); });
    if (end_) return;
    auto work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
  }
}

}  // namespace akgen::serve
