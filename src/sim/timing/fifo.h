// A queue for the inner loop of replays.
#pragma once
#include <cstddef>
#include <vector>

namespace akgen::sim {

// First in, first out, in one piece of memory that is used again.
template <class T>
class Fifo {
 public:
  size_t size() const { return items_.size() - first_; }
  bool empty() const { return first_ == items_.size(); }
  const T& front() const { return items_[first_]; }
  void push(const T& t) { items_.push_back(t); }
  void pop() {
    if (++first_ == items_.size()) return clear();
    if (first_ < 64 || 2 * first_ < items_.size()) return;
    items_.erase(items_.begin(), items_.begin() + long(first_));
    first_ = 0;
  }
  void clear() { items_.clear(), first_ = 0; }

 private:
  std::vector<T> items_;
  size_t first_ = 0;
};

}  // namespace akgen::sim
