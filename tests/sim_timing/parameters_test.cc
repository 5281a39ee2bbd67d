#include "sim/timing/parameters.h"

#include <gtest/gtest.h>

#include "akgen/abi.h"
#include "base/files.h"

namespace akgen::sim {
namespace {

std::string Shipped() { return *base::ReadFile(base::HomeDir() / "data" / "timing" / "a2.toml"); }

std::string With(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void Refused(const std::string& text, const std::string& word) {
  auto p = ParseTiming(text, "a2.toml");
  ASSERT_FALSE(p.ok()) << word;
  EXPECT_EQ(p.error().code, "AK0121");
  EXPECT_NE(p.error().message.find(word), std::string::npos) << p.error().message;
}

TEST(TimingParameters, TheShippedFileIsWhole) {
  auto p = ParseTiming(Shipped(), "a2.toml");
  ASSERT_TRUE(p.ok()) << p.error().ToString();
  EXPECT_EQ(p->mte2_rate, 32);
  EXPECT_EQ(p->vector[AKGEN_OP_Add].per_cycle[0], 128);
  EXPECT_EQ(p->vector[AKGEN_OP_Exp].per_cycle[1], 32);
  EXPECT_EQ(ToJson(TimingFromJson(ToJson(*p))), ToJson(*p));
}

TEST(TimingParameters, BrokenFilesAreRefused) {
  std::string text = Shipped();
  Refused(With(text, "vector_head", "vector_heat"), "vector_head");
  Refused(With(text, "mte2_rate      = { value = 32.0", "mte2_rate      = { value = -1.0"),
          "mte2_rate");
  Refused(With(text, "mte2_rate      = { value = 32.0", "mte2_rate      = { value = 0.0"),
          "mte2_rate");
  Refused(With(text, "mte2_rate      = { value = 32.0", "mte2_rate      = { value = nan"),
          "mte2_rate");
  Refused(With(text, "mte2_rate      = { value = 32.0, unit = \"B/cycle\"",
               "mte2_rate      = { value = 32.0"),
          "mte2_rate");
  Refused(With(text, "\"exp\"", "\"expp\""), "expp");
  Refused(With(text, "rate = \"simple\"", "rate = \"sort\""), "simple");
  EXPECT_EQ(ParseTiming("= 3", "x").error().code, "AK0121");
}

}  // namespace
}  // namespace akgen::sim
