#include "base/csv.h"

#include <gtest/gtest.h>

namespace akgen::base {
namespace {

TEST(Csv, QuotesLinesAndMarksAreRead) {
  const auto csv = ReadCsv(
      "\xef\xbb\xbf"
      "a,b\r\n\"1,2\",\"say \"\"yes\"\"\"\n\n\"two\nlines\",\n",
      "t.csv");
  ASSERT_TRUE(csv.ok()) << csv.error().ToString();
  EXPECT_EQ(csv->columns, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(csv->rows.size(), 2u);
  EXPECT_EQ(csv->rows[0].cells, (std::vector<std::string>{"1,2", "say \"yes\""}));
  EXPECT_EQ(csv->rows[1].cells, (std::vector<std::string>{"two\nlines", ""}));
  EXPECT_EQ(csv->rows[0].line, 2);
  EXPECT_EQ(csv->rows[1].line, 4);
}

TEST(Csv, AQuoteAtTheVeryEnd) {
  const auto csv = ReadCsv("a,b\n1,\"2\"", "t.csv");
  ASSERT_TRUE(csv.ok()) << csv.error().ToString();
  EXPECT_EQ(csv->rows[0].cells, (std::vector<std::string>{"1", "2"}));
  EXPECT_FALSE(ReadCsv("a\n\"2\"\"", "t.csv").ok());
}

TEST(Csv, BrokenTablesAreRefusedWithTheirLine) {
  for (auto [text, where] : {std::pair{"", "t.csv:1"},
                             {"\n\n", "t.csv:1"},
                             {"a,b\n1\n", "t.csv:2"},
                             {"a,b\n1,2\n1,2,3\n", "t.csv:3"},
                             {"a,b\n1,\"2\n3,4\n", "t.csv:2"}}) {
    const auto csv = ReadCsv(text, "t.csv");
    ASSERT_FALSE(csv.ok()) << text;
    EXPECT_EQ(csv.error().code, "AK0122");
    EXPECT_EQ(csv.error().where, where) << text;
  }
}

}  // namespace
}  // namespace akgen::base
