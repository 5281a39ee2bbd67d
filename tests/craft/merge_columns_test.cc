// Classes of several columns of dtypes become one: what differs in types is a template, other
// statements branches.
#include "craft/emit/merge_columns.h"

#include <gtest/gtest.h>

namespace akgen::craft {
namespace {

const std::vector<TypeParameter> kOne = {{"T", {"float", "half"}}};
const std::vector<TypeParameter> kTwo = {{"T", {"float", "half", "half"}},
                                         {"TG", {"float", "half", "float"}}};

std::vector<ClassText> Columns(ClassPart::Kind kind, const std::vector<std::string>& texts) {
  std::vector<ClassText> out;
  for (const auto& t : texts) out.push_back({{kind, t}});
  return out;
}

std::string Merged(ClassPart::Kind kind, const std::vector<std::string>& texts,
                   const std::vector<TypeParameter>& parameters, const std::vector<int>& granules) {
  auto merged = MergeColumns(Columns(kind, texts), parameters, granules);
  return merged ? merged->body : "apart";
}

TEST(MergeColumns, TypesAndNumbersOfThemBecomeParameters) {
  const struct {
    std::string first, second, merged;
  } rows[] = {
      {"Get<float>(x);\n", "Get<half>(x);\n", "Get<T>(x);\n"},
      {"n * 4;\n", "n * 2;\n", "n * int64_t(sizeof(T));\n"},
      {"n * 4;\n", "n * 3;\n", "apart"},
      {"Get<float>(x);\n", "Get<int8_t>(x);\n", "apart"},
      {"floats;\n", "halfs;\n", "apart"},  // words, not parts of words
      {"a;\n", "a;\nb;\n", "apart"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(Merged(ClassPart::kFixed, {row.first, row.second}, kOne, {8, 8}), row.merged)
        << row.first;
}

TEST(MergeColumns, RowsBeginAtANamedDistance) {
  EXPECT_EQ(Merged(ClassPart::kFixed, {"n * 8;\n", "n * 16;\n"}, kOne, {8, 16}),
            "n * kRowStep;\n  // Elements: rows of tiles begin at multiples of it.\n"
            "  static constexpr int64_t kRowStep = IsSameType<T, float>::value ? 8 : 16;\n");
  EXPECT_EQ(Merged(ClassPart::kFixed, {"n * 8;\n", "n * 32;\n"}, kOne, {8, 16}), "apart");
}

TEST(MergeColumns, StatementsBranchBehindWhatTheyShare) {
  EXPECT_EQ(Merged(ClassPart::kStatements, {"    A();\n    B();\n", "    A();\n    C();\n"}, kOne,
                   {8, 8}),
            "    A();\n    if constexpr (IsSameType<T, float>::value) {\n      B();\n    } else "
            "{\n      C();\n    }\n");
  // A loop is not cut in the middle.
  EXPECT_EQ(Merged(ClassPart::kStatements,
                   {"    for {\n    B();\n    }\n", "    for {\n    C();\n    }\n"}, kOne, {8, 8}),
            "    if constexpr (IsSameType<T, float>::value) {\n      for {\n      B();\n      }\n  "
            "  } else {\n"
            "      for {\n      C();\n      }\n    }\n");
  // A column with nothing of its own has no branch.
  EXPECT_EQ(Merged(ClassPart::kStatements, {"    A();\n", "    A();\n    C();\n"}, kOne, {8, 8}),
            "    A();\n    if constexpr (IsSameType<T, half>::value) {\n      C();\n    }\n");
}

TEST(MergeColumns, ABranchIsToldByTheParameterThatTellsIt) {
  const auto merged = MergeColumns(
      Columns(ClassPart::kStatements, {"    A();\n", "    B();\n", "    A();\n"}), kTwo, {8, 8, 8});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->body,
            "    if constexpr (IsSameType<TG, float>::value) {\n      A();\n    } else {\n      "
            "B();\n    }\n");
  EXPECT_EQ(merged->parameters, std::vector<size_t>{1});
  // No single one does: the types of whole columns.
  EXPECT_EQ(Merged(ClassPart::kStatements, {"    A();\n", "    B();\n", "    B();\n", "    A();\n"},
                   {{"T", {"float", "float", "half", "half"}},
                    {"TG", {"float", "half", "float", "half"}}},
                   {8, 8, 8, 8}),
            "    if constexpr ((IsSameType<T, float>::value && IsSameType<TG, float>::value) || "
            "(IsSameType<T, half>::value && IsSameType<TG, half>::value)) {\n      A();\n    } "
            "else {\n      B();\n    }\n");
  // Columns of the same types cannot be told apart.
  EXPECT_EQ(Merged(ClassPart::kStatements, {"    A();\n", "    B();\n"},
                   {{"T", {"float", "float"}}}, {8, 8}),
            "apart");
}

TEST(MergeColumns, DeclarationsAreThoseOfTheColumnWithMost) {
  EXPECT_EQ(Merged(ClassPart::kDeclarations, {"a;\n", "a;\nb;\n"}, kOne, {8, 8}), "a;\nb;\n");
  EXPECT_EQ(Merged(ClassPart::kDeclarations, {"c;\n", "a;\nb;\n"}, kOne, {8, 8}), "apart");
}

}  // namespace
}  // namespace akgen::craft
