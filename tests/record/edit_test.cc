// Edits as findings carry them, and findings of several cases as one.
#include "record/edit.h"

#include <gtest/gtest.h>

#include "record/verdict.h"

namespace akgen::record {
namespace {

constexpr const char* kSource = "one\n  two;\nthree\n";

TEST(Edit, TakesThePlaceOfWhatLiesBetween) {
  const std::vector<Edit> edits{
      {"k.cpp", 3, 1, 3, 6, "3"}, {"k.cpp", 2, 3, 2, 3, "zero; "}, {"other.cpp", 1, 1, 1, 4, "x"}};
  auto out = Edited(kSource, "k.cpp", edits);
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(*out, "one\n  zero; two;\n3\n");
}

TEST(Edit, ALineIsDeletedWithItsEnd) {
  auto out = Edited(kSource, "k.cpp", {{"k.cpp", 2, 1, 3, 1, ""}});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(*out, "one\nthree\n");
}

TEST(Edit, InsertionsAtOnePlaceKeepTheirOrder) {
  auto out = Edited("x", "k", {{"k", 1, 2, 1, 2, "a"}, {"k", 1, 2, 1, 2, "b"}});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(*out, "xab");
}

TEST(Edit, PlacesThatAreNotThereAreRefused) {
  const Edit wrong[] = {{"k", 9, 1, 9, 1, ""},
                        {"k", 1, 5, 1, 5, ""},
                        {"k", 0, 1, 1, 1, ""},
                        {"k", 1, 0, 1, 1, ""},
                        {"k", 2, 1, 1, 1, ""}};
  for (const Edit& e : wrong) {
    auto out = Edited(kSource, "k", {e});
    ASSERT_FALSE(out.ok()) << e.line << ":" << e.column;
    EXPECT_EQ(out.error().code, "AK0016");
  }
  EXPECT_FALSE(Edited(kSource, "k", {{"k", 1, 1, 1, 3, ""}, {"k", 1, 2, 1, 4, ""}}).ok())
      << "they overlap";
}

TEST(Edit, CrossesAsJson) {
  Finding f;
  f.code = "AK1201";
  f.edits = {{"op_kernel/k.cpp", 1, 2, 3, 4, "PipeBarrier<PIPE_V>();"}};
  EXPECT_EQ(FindingFromJson(ToJson(f)).edits, f.edits);
  f.edits.clear();
  EXPECT_FALSE(ToJson(f).contains("edits"));
}

Finding At(std::string code, int line, uint64_t count = 1) {
  Finding f;
  f.code = std::move(code), f.place.file = "k.cpp", f.place.line = line, f.count = count,
  f.message = "at " + std::to_string(count);
  return f;
}

TEST(FindingsOfCases, OneOfACodeAtAPlace) {
  FindingsOfCases all;
  Finding fixed = At("AK1201", 7, 5);
  fixed.edits = {{"k.cpp", 7, 1, 7, 1, ";"}};
  all.Add("0", {At("AK1201", 7, 2), At("AK1203", 7)});
  all.Add("3", {fixed, At("AK1201", 8)});
  ASSERT_EQ(all.all().size(), 3u);
  EXPECT_EQ(all.all()[0].cases, (std::vector<std::string>{"0", "3"}));
  EXPECT_EQ(all.all()[0].finding.count, 7u);
  EXPECT_EQ(all.all()[0].finding.edits, fixed.edits);
  EXPECT_EQ(all.all()[1].cases, std::vector<std::string>{"0"});
  EXPECT_EQ(ToJson(all.all()[2])["cases"], base::Json::array({"3"}));
}

TEST(FindingsOfCases, OtherSidesAndWarningsKeepThemApart) {
  FindingsOfCases all;
  Finding sided = At("AK1201", 7), warned = At("AK1201", 7);
  sided.other = Place{"k.cpp", 3, "", "", -1};
  warned.warning = true;
  all.Add("0", {At("AK1201", 7), sided, warned});
  EXPECT_EQ(all.all().size(), 3u);
}

}  // namespace
}  // namespace akgen::record
