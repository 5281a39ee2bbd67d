#include "serve/hidden_draws.h"

#include <cctype>

namespace akgen::serve {

namespace {
constexpr size_t kMaxKept = 4096;
}  // namespace

bool IsHidden(const std::string& case_id) {
  const std::string_view prefix = kHiddenPrefix;
  return case_id.starts_with(prefix) && case_id.size() > prefix.size() &&
         std::isdigit(static_cast<unsigned char>(case_id[prefix.size()])) != 0;
}

base::Result<std::vector<task::CaseRow>> HiddenDraws::Of(const task::TaskSpec& task, uint64_t seed,
                                                         int count, bool widen) {
  if (count <= 0 || task.reference.empty()) return std::vector<task::CaseRow>();
  const Key key{task.folder.string(), seed, count, widen};
  auto known = [&]() -> const std::vector<task::CaseRow>* {
    auto it = drawn_.find(key);
    return it == drawn_.end() ? nullptr : &it->second;
  };
  {
    std::lock_guard lock(mutex_);
    if (const auto* rows = known()) return *rows;
  }
  std::lock_guard one(reference_mutex_);
  {
    std::lock_guard lock(mutex_);
    if (const auto* rows = known()) return *rows;  // another thread drew them meanwhile
  }
  auto rows = task::HiddenCases(task, seed, count, kHiddenPrefix, reference_, widen);
  if (!rows.ok()) return rows;
  std::lock_guard lock(mutex_);
  drawn_[key] = *rows;
  order_.push_back(key);
  if (order_.size() > kMaxKept) {
    drawn_.erase(order_.front());
    order_.pop_front();
  }
  return rows;
}

}  // namespace akgen::serve
