#include "serve/short_work.h"

#include <utility>

namespace akgen::serve {

bool ShortWork::Add(std::function<void()> work) {
  constexpr size_t kMaxWaiting = 1000;
  std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMaxWaiting) return false;
  waiting_.push_back(std::move(work));
  wake_.notify_one();
  return true;
}

void ShortWork::Stop() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void ShortWork::Run() {
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
