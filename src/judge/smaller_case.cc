#include "judge/smaller_case.h"

#include <cmath>

namespace akgen::judge {

std::optional<task::CaseDesc> SmallerCase(const task::TaskSpec& task, task::CaseRow row, const task::CaseDesc& c,
                                          int64_t factor) {
  auto shape = row.columns.find("shape");
  if (shape == row.columns.end() || !shape->is_array() || shape->empty() || !(*shape)[0].is_number_integer())
    return std::nullopt;
  const int64_t leading = (*shape)[0].get<int64_t>();
  if (leading % factor != 0) return std::nullopt;
  (*shape)[0] = leading / factor;
  auto small = task::ResolveCase(task, row);
  if (!small.ok() || std::fabs(double(small->memory_estimate) * double(factor) / double(c.memory_estimate) - 1) > 0.02)
    return std::nullopt;
  return *small;
}

}  // namespace akgen::judge
