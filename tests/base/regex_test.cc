#include "base/regex.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace akgen::base {
namespace {

TEST(Regex, GroupsSayWhatAndWhere) {
  const Regex r(R"((\w+)\s*=\s*(\d+)|(none))");
  auto m = r.Find("let rows = 12;");
  ASSERT_TRUE(m);
  EXPECT_EQ((*m)[0].text, "rows = 12");
  EXPECT_EQ((*m)[1].begin, 4u);
  EXPECT_EQ((*m)[1].end, 8u);
  EXPECT_EQ((*m)[2].text, "12");
  EXPECT_FALSE((*m)[3].matched);
  EXPECT_FALSE(r.Find("let rows"));
  EXPECT_FALSE(r.Find(std::string_view()));
}

TEST(Regex, WholeAndStart) {
  const Regex r("(.+?)/2");
  EXPECT_EQ((*r.Whole("a/2/2"))[1].text, "a/2");
  EXPECT_EQ((*r.AtStart("a/2/2"))[1].text, "a");
  EXPECT_FALSE(r.Whole("a/2 "));
  EXPECT_FALSE(Regex("b").AtStart("ab"));
}

TEST(Regex, AllAndReplace) {
  const Regex r(R"(\bx(\d)?)");
  const auto all = r.All("x1 ax2 x");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1][0].begin, 7u);
  EXPECT_FALSE(all[1][1].matched);
  EXPECT_EQ(r.Replace("x1 ax2 x", "$1"), "$1 ax2 $1");
  EXPECT_EQ(Regex("a*").All("baa").size(), 3u);  // nothing, aa, nothing
}

TEST(Regex, AMalformedPatternIsAFaultOfTheProgram) {
  EXPECT_THROW(Regex("("), std::invalid_argument);
}

// std::regex ends the process for each of these: it recurses once a character.
TEST(Regex, LongTexts) {
  const std::string name(4u << 20, 'a');
  EXPECT_EQ((*Regex(R"(\b([a-z]+)\s*\()").Find(name + "("))[1].text.size(), name.size());
  EXPECT_EQ((*Regex(R"((?:\w|::)+)").Whole(name))[0].text.size(), name.size());
  EXPECT_TRUE(Regex(R"((.+?)\s*/\s*2)").Whole(name + " / 2"));
  EXPECT_FALSE(Regex(R"((a+)+b)").Find(name));  // too many steps
}

}  // namespace
}  // namespace akgen::base
