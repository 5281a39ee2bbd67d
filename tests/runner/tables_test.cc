// Tables of a kernel's object: their names as the source has them, and which of two that meet
// counts.
#include "runner/process/tables.h"

#include <gtest/gtest.h>

namespace akgen::runner {
namespace {
guest::Image With(std::vector<guest::Table> tables, size_t bytes = 64) {
  guest::Image image;
  image.constants.resize(bytes);
  for (size_t i = 0; i < bytes; ++i) image.constants[i] = uint8_t(i);
  image.tables = std::move(tables);
  return image;
}

std::string Said(const GuestTables& tables) {
  std::string out;
  for (const sim::GmRegion& t : tables.tables())
    out += t.name + " " + std::to_string(t.base - tables.constants().data()) + "+" +
           std::to_string(t.bytes) + " ";
  return out;
}

TEST(Tables, NamesAreThoseOfTheSource) {
  const std::pair<const char*, const char*> names[] = {{"kTable", "kTable"},
                                                       {"_ZL6kTable", "kTable"},
                                                       {"_ZN2nsL6kTableE", "kTable"},
                                                       {"_ZN2ns5inner1aE", "a"},
                                                       {"_Z", "_Z"},
                                                       {"_ZN9kTableE", "_ZN9kTableE"},
                                                       {"_ZN1a0bE", "a"},
                                                       {"_ZL7kTable", "_ZL7kTable"},
                                                       {"Z6kTable", "Z6kTable"}};
  for (const auto& [linked, name] : names)
    EXPECT_EQ(Said(GuestTables(With({{linked, 0, 8}}))), std::string(name) + " 0+8 ");
}

TEST(Tables, OfTwoThatMeetTheFirstCounts) {
  EXPECT_EQ(Said(GuestTables(With({{"a", 8, 8}, {"b", 16, 8}, {"c", 0, 8}}))),
            "a 8+8 b 16+8 c 0+8 ")
      << "neighbours";
  EXPECT_EQ(Said(GuestTables(With({{"a", 8, 8}, {"b", 15, 8}, {"c", 1, 8}}))), "a 8+8 ");
  EXPECT_EQ(Said(GuestTables(With({{"a", 8, 8}, {"b", 8, 8}, {"c", 0, 64}, {"d", 10, 2}}))),
            "a 8+8 ");
}

TEST(Tables, AThousandAndTwentyFourAreEnough) {
  std::vector<guest::Table> many;
  for (uint64_t i = 0; i < 1025; ++i) many.push_back({"t", i, 1});
  EXPECT_EQ(GuestTables(With(many, 2000)).tables().size(), 1024u);
}

TEST(Tables, TheBytesAreTheImages) {
  const GuestTables tables(With({{"a", 8, 8}}));
  ASSERT_EQ(tables.constants().size(), 64u);
  EXPECT_EQ(tables.constants()[63], 63);
  EXPECT_TRUE(GuestTables(With({})).constants().empty()) << "nothing for a guest without names";
}
}  // namespace
}  // namespace akgen::runner
