// The last answers with what was judged, for the page: bounded in number and bytes, gone with the
// process.
#pragma once
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/service.h"

namespace akgen::serve {

class History {
 public:
  struct Limits {
    size_t most = 200, bytes = 32u << 20;
  };
  explicit History(Limits limits) : limits_(limits) {}
  // Any thread.
  void Add(const Caller& caller, const Work& work, const Answer& answer);
  std::vector<Seen> Recent(const Caller& caller,
                           size_t most) const;  // of its principal, the last one first; briefly
  std::optional<Seen> Find(const std::string& id, const Caller& caller) const;

 private:
  struct Kept {
    Seen seen;           // without work and record
    std::string record;  // as text: a fraction of what the value takes
    Work work;
    std::string principal;
    size_t bytes = 0;
  };
  Limits limits_;
  mutable std::mutex mutex_;
  std::deque<Kept> kept_;
  size_t bytes_ = 0;
};

}  // namespace akgen::serve
