// Keeps what was used last.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace akgen::serve {

// Holds up to `capacity` values by key; for another one the value goes that was put or found
// longest ago. A holder of the pointer keeps its value. Not synchronised.
template <class T>
class Recent {
 public:
  explicit Recent(size_t capacity) : capacity_(capacity) {}
  // In place of what was there under the key.
  void Put(const std::string& key, std::shared_ptr<T> value) {
    if (auto it = held_.find(key); it != held_.end()) {
      order_.erase(it->second.second);
      held_.erase(it);
    }
    if (held_.size() >= capacity_) {
      held_.erase(order_.front());
      order_.pop_front();
    }
    held_[key] = {std::move(value), order_.insert(order_.end(), key)};
  }
  // nullptr: there is none, or it was not used for too long.
  std::shared_ptr<T> Find(const std::string& key) {
    auto it = held_.find(key);
    if (it == held_.end()) return nullptr;
    order_.splice(order_.end(), order_, it->second.second);
    return it->second.first;
  }

 private:
  size_t capacity_;
  std::list<std::string> order_;  // the one used longest ago first
  std::map<std::string, std::pair<std::shared_ptr<T>, std::list<std::string>::iterator>> held_;
};

}  // namespace akgen::serve
