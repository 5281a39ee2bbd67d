// What JSON of others may hold: shapes and numbers that nobody asked for are exceptions, which
// base::Checked turns into AK0014.
#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace akgen::base {
namespace {

template <class T>
std::string CodeOf(const char* text) {
  const Json j = Parse(text);
  auto read = Checked("here", [&]() -> Status {
    (void)j.value("n", T());
    return {};
  });
  return read.ok() ? "" : read.error().code;
}

TEST(Json, ANumberBeyondItsIntegerIsRefused) {
  EXPECT_EQ(CodeOf<int64_t>(R"({"n": 1e308})"), "AK0014");
  EXPECT_EQ(CodeOf<int64_t>(R"({"n": 9.3e18})"), "AK0014");
  EXPECT_EQ(CodeOf<uint64_t>(R"({"n": -1.5})"), "AK0014");
  EXPECT_EQ(CodeOf<int>(R"({"n": 3e9})"), "AK0014");
  const Json list = Parse("[1, 1e300]");
  EXPECT_THROW((void)list.get<std::vector<int>>(), Json::exception);
}

TEST(Json, OneWithinItIsNot) {
  EXPECT_EQ(CodeOf<int64_t>(R"({"n": -9.2e18})"), "");
  EXPECT_EQ(CodeOf<uint64_t>(R"({"n": 1.8e19})"), "");
  EXPECT_EQ(CodeOf<double>(R"({"n": 1e308})"), "");
  EXPECT_EQ(Parse("3.75").get<int>(), 3);
  EXPECT_EQ(Parse("true").get<int>(), 1);
}

TEST(Json, WholeNumbersAreIntegersAsFarAsADoubleHoldsThem) {
  EXPECT_TRUE(WholeOrReal(-3.0).is_number_integer());
  EXPECT_EQ(WholeOrReal(0x1p53), Json(int64_t{1} << 53));
  for (double v : {0.5, 0x1p54, -1e300, HUGE_VAL, -HUGE_VAL}) {
    ASSERT_TRUE(WholeOrReal(v).is_number_float()) << v;
    EXPECT_EQ(WholeOrReal(v).get<double>(), v);
  }
  EXPECT_TRUE(std::isnan(WholeOrReal(std::nan("")).get<double>()));
}

TEST(Json, KeysOfOrderedValuesStayInOrder) {
  EXPECT_EQ(DumpInOrder({{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
}
}  // namespace
}  // namespace akgen::base
