// Expressions of a host function that an extent or an argument may be.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "craft/plan/nest.h"

namespace akgen::craft {

// An expression of the host and its value in a case; nothing where it has none.
struct Candidate {
  std::string text;
  std::function<std::optional<int64_t>(const PlanCase&)> value;
};

inline constexpr int64_t kEnd = 99;  // as `to` of a range of dimensions: up to the last one
// The product of input `id`'s extents from `from` up to `to`; one extent of it.
Candidate Stretch(const std::string& id, int64_t from, int64_t to);
Candidate OneDim(const std::string& id, int64_t i);

// The product of the extents from `from` up to `to` (both may count from the end).
int64_t Product(const std::vector<int64_t>& s, int64_t from, int64_t to);

// Simple ones first.
std::vector<Candidate> Candidates(const PlanTask& task);

}  // namespace akgen::craft
