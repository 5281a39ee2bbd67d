#include "corpus/records/task_records.h"

#include <gtest/gtest.h>

namespace akgen::corpus {
namespace {
// Cases of one vector each, by the number of its elements.
task::TaskSpec Vectors(const std::vector<int64_t>& elements) {
  task::TaskSpec t;
  t.name = "Made";
  task::ParamSpec x;
  x.name = "x", x.dtype = "float32", x.shape = "$shape", x.present = true, x.compared = true;
  t.inputs = t.outputs = {x};
  for (int64_t n : elements) t.cases.push_back({std::to_string(t.cases.size()), {{"shape", {n}}}});
  return t;
}

TEST(TaskRecords, TheSmallestCasesAndNoMoreThanThereAre) {
  const struct {
    std::vector<int64_t> elements;
    size_t count;
    std::string ids;
  } rows[] = {{{30, 10, 20}, 2, "12"}, {{30, 10, 20}, 3, "120"}, {{30, 10, 20}, 4, "120"},
              {{30, 10, 20}, 0, ""},   {{5, 7, 5, 5}, 2, "02"},  {{}, 3, ""}};
  for (const auto& row : rows) {
    std::string ids;
    for (const task::CaseRow& c : SmallestCases(Vectors(row.elements), row.count)) ids += c.id;
    EXPECT_EQ(ids, row.ids) << row.count;
  }
}
}  // namespace
}  // namespace akgen::corpus
