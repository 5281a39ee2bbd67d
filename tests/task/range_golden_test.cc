// Which cases the range group consists of, for small tasks of each form (range_tasks): a task of
// two dtypes with weights and attributes, one with indices, one of lists with a number and a
// domain. A difference changes verdicts: it needs a higher kRulesVersion (golden/range_cases.txt).
#include <gtest/gtest.h>

#include <sstream>

#include "../fresh_cache.h"
#include "../golden.h"
#include "base/hash.h"
#include "task/range.h"

namespace akgen::task {
namespace {
TEST(RangeGolden, CasesOfSmallTasks) {
  const std::filesystem::path cache =
      std::filesystem::path(testing::TempDir()) / ("akgen-ranges-" + std::to_string(::getpid()));
  const std::string before = base::CacheDir();
  base::UseFreshCache(cache);
  std::ostringstream text;
  for (const char* name : {"weighted_sum", "lookup", "blend"}) {
    const auto task = LoadTaskFolder(std::filesystem::path(AKGEN_RANGE_TASKS) / name);
    ASSERT_TRUE(task.ok()) << task.error().message;
    ReferenceClient reference;
    const auto rows = RangeCases(*task, reference);
    ASSERT_TRUE(rows.ok()) << rows.error().message;
    for (const CaseRow& row : *rows) {
      base::Json draws = base::Json::object();
      for (const auto& [input, dist] : row.draws.items()) {
        const std::string said = base::Dump(dist);
        draws[input] =
            said.size() < 60 ? base::Json(dist) : base::Json(base::Sha256(said).substr(0, 12));
      }
      text << task->name << " " << row.id << " " << base::Dump(row.columns) << " "
           << base::Dump(row.attributes) << " " << base::Dump(draws) << "\n";
    }
  }
  ::setenv("AKGEN_CACHE", before.c_str(), 1);
  std::filesystem::remove_all(cache);
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "range_cases.txt", text.str());
}
}  // namespace
}  // namespace akgen::task
