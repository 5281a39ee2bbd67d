// Cases to kernels of loops.
#include "craft/plan/nest.h"
#include "craft/plan/nest_cases.h"
#include "craft/plan/nest_extents.h"
#include "craft/plan/nest_program.h"

namespace akgen::craft {

namespace {
// Cases to kernels of loops. `wide`: no kernel serves cases for which its tiles would be single
// elements.
std::string PlanVariants(const PlanTask& task, bool wide, bool rows,
                         const std::set<size_t>& meant) {
  const NestCases cases(task, rows, meant);
  std::vector<NestVariant> variants;
  std::vector<bool> placed(task.cases.size(), false);
  const ExtentFinder extents(task, cases, variants, placed, wide);
  for (const auto& [body, alike] : cases.ByBody()) {
    std::vector<size_t> open;
    for (size_t c : alike)
      if (!placed[c]) open.push_back(c);
    if (open.empty()) continue;
    NestVariant v{cases.InRows(open), open, {}};
    extents.Find(v, open[0]);
    for (size_t c : open) placed[c] = true;
    for (size_t c = 0; c < task.cases.size(); ++c)
      if (!placed[c] && extents.Explains(v, open[0], c)) placed[c] = true, v.cases.push_back(c);
    variants.push_back(std::move(v));
  }
  for (size_t c = 0; c < task.cases.size(); ++c)
    if (!placed[c]) throw cases.Why(c);
  return NestProgram(task, variants, wide).Text();
}
}  // namespace

PlanResult<std::string> PlanNest(const PlanTask& task, bool rows, const std::set<size_t>& meant) {
  return Tried([&] {
    try {
      return PlanVariants(task, true, rows, meant);
    } catch (const Unplanned&) {
      return PlanVariants(task, false, rows, meant);
    }
  });
}

}  // namespace akgen::craft
