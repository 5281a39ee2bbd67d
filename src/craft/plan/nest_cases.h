// The kernel of loops that each case of a task has by itself. For plan/ only.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "craft/plan/nest.h"
#include "craft/plan/nest_candidates.h"

namespace akgen::craft {
using Shape = std::vector<int64_t>;

// A kernel that serves several cases, and an expression of the host for each of its axes.
struct NestVariant {
  NestText text;
  std::vector<size_t> cases;
  std::vector<Candidate> extents;
};

class NestCases {
 public:
  // `rows` and `meant` as for PlanNest.
  NestCases(const PlanTask& task, bool rows, const std::set<size_t>& meant);

  // A kernel whose tiles have no rows; none: Why() says why.
  const std::optional<NestText>& Text(size_t c) const { return texts_[c]; }
  const Unplanned& Why(size_t c) const { return why_[c]; }
  const std::string& Structure(size_t c) const { return structures_[c]; }
  // The cases by their kernel's body, those whose kernels have most axes first.
  const std::vector<std::pair<std::string, std::vector<size_t>>>& ByBody() const { return order_; }
  // Cases of one kernel may want different axes as rows of its tiles: those that most of them want.
  NestText InRows(const std::vector<size_t>& cases) const;

 private:
  const PlanTask& task_;
  const bool rows_;
  const std::set<size_t>& meant_;
  std::vector<std::optional<NestText>> texts_;
  std::vector<Unplanned> why_;
  std::vector<std::string> structures_;
  std::vector<std::pair<std::string, std::vector<size_t>>> order_;
};

}  // namespace akgen::craft
