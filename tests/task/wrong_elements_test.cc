// Where wrong elements lie, in words.
#include "task/wrong_elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace akgen::task {
namespace {
std::string RegionWhere(const std::vector<int64_t>& shape,
                        const std::function<bool(int64_t)>& wrong) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  WrongElements e;
  for (int64_t i = 0; i < n; ++i)
    if (wrong(i)) e.Add(i, 1, 0);
  return e.Region(shape);
}

TEST(WrongElements, AreToldByRegion) {
  struct Case {
    std::vector<int64_t> shape;
    std::function<bool(int64_t)> wrong;
    const char* region;
  };
  const Case cases[] = {
      {{64}, [](int64_t) { return true; }, "every element"},
      {{64}, [](int64_t) { return false; }, ""},
      {{64}, [](int64_t i) { return i >= 50; }, "the last 14 elements, from 50 on"},
      {{64}, [](int64_t i) { return i < 3; }, "the first 3 elements"},
      {{64}, [](int64_t i) { return i == 63; }, "the last element"},
      {{8, 16}, [](int64_t i) { return i == 17; }, "element [1, 1]"},
      {{64}, [](int64_t i) { return i >= 3 && i % 16 == 3; }, "every 16th element from 3 on"},
      {{64}, [](int64_t i) { return i % 16 >= 13; }, "3 elements of every 16 from 13 on"},
      {{8, 16}, [](int64_t i) { return i / 16 == 5; }, "row 5 of 8"},
      {{8, 16}, [](int64_t i) { return i / 16 >= 6; }, "the last 2 of 8 rows"},
      {{8, 16}, [](int64_t i) { return i / 16 == 2 || i / 16 == 3; }, "rows 2 to 3 of 8"},
      {{8, 16}, [](int64_t i) { return i % 16 == 4; }, "column 4 of 16, in every row"},
      {{8, 16}, [](int64_t i) { return i % 16 >= 13; }, "the last 3 of 16 columns, in every row"},
      {{8, 16},
       [](int64_t i) { return i % 16 >= 13 && i / 16 >= 4; },
       "the last 3 of 16 columns, in rows 4 to 7"},
      {{8, 16}, [](int64_t i) { return i >= 120; }, "the last 8 elements, from [7, 8] on"},
      {{8, 16}, [](int64_t i) { return i / 16 == 3 && i % 16 != 2; }, "all in row 3 of 8"},
      {{4, 8, 16}, [](int64_t i) { return i / 128 == 1; }, "index 1 of 4 of axis 0"},
      {{8, 16},
       [](int64_t i) { return i / 10 == 1 || i / 20 == 4; },
       "2 stretches of 10 to 20 elements, from [0, 10] to [6, 3]"},
      {{16, 64}, [](int64_t i) { return i % 7 == 0 || i % 11 == 0; }, ""},
      {{16, 64}, [](int64_t i) { return i % 67 != 0; }, "nearly every element"},
  };
  for (const Case& c : cases) EXPECT_EQ(RegionWhere(c.shape, c.wrong), c.region);
}

TEST(WrongElements, TheWorstComeFirst) {
  WrongElements e;
  for (int64_t i = 0; i < 100; ++i) e.Add(i, i == 40 ? 9 : 1.5, 1);
  e.Add(100, NAN, 1);
  ASSERT_EQ(e.worst().size(), WrongElements::kWorst);
  EXPECT_EQ(e.worst()[0].index, 100);
  EXPECT_EQ(e.worst()[1].index, 40);
  EXPECT_EQ(e.worst()[2].index, 0) << "of equal ones the first";
  EXPECT_EQ(e.first().size(), WrongElements::kShown);
  EXPECT_EQ(e.count(), 101);
}

TEST(WrongElements, IndicesAreThoseOfTheShape) {
  EXPECT_EQ(IndexText(91 + 63 * 128, {64, 128}), "[63, 91]");
  EXPECT_EQ(IndexText(5, {64}), "5");
  EXPECT_EQ(IndexText(0, {}), "0");
}
}  // namespace
}  // namespace akgen::task
