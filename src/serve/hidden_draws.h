// Hidden cases of tasks (task/hidden.h), each drawn once, by a reference process of the server's
// own.
#pragma once
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "task/hidden.h"

namespace akgen::serve {

inline constexpr const char* kHiddenPrefix = "hidden";  // of their ids
bool IsHidden(const std::string& case_id);

class HiddenDraws {
 public:
  // None for a task without a reference, which nothing is compared with. `widen` as
  // task::HiddenCases, whose errors these are. Any thread.
  base::Result<std::vector<task::CaseRow>> Of(const task::TaskSpec& task, uint64_t seed, int count,
                                              bool widen);

 private:
  using Key = std::tuple<std::string, uint64_t, int, bool>;  // task's folder, seed, number, widened
  std::mutex mutex_, reference_mutex_;
  std::map<Key, std::vector<task::CaseRow>> drawn_;
  std::list<Key> order_;  // as they were drawn
  task::ReferenceClient reference_;
};

}  // namespace akgen::serve
