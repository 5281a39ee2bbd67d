// Arrays of variable length that have initialisers, as clang complains of them: what becomes of
// each, and what is left as it is.
#include "toolchain/builder/variable_arrays.h"

#include <gtest/gtest.h>

namespace akgen::toolchain {
namespace {
constexpr const char* kMessage = "variable-sized object may not be initialized";

// `^` is where the compiler points at; "" where nothing is changed.
std::string Set(std::string text, const std::string& message = kMessage) {
  const size_t at = text.find('^');
  text.erase(at, 1);
  const int line = 1 + int(std::count(text.begin(), text.begin() + int64_t(at), '\n'));
  const size_t start = text.rfind('\n', at ? at - 1 : 0);
  const int column = int(at - (start == std::string::npos || start >= at ? 0 : start + 1)) + 1;
  VirtualFiles files{{"/p/k.cpp", text}};
  const auto done =
      SetVariableArrays({{"error", "/p/k.cpp", line, column, message, {}}}, {}, &files);
  EXPECT_EQ(done.size(), files["/p/k.cpp"] != text);
  if (done.empty()) return "";
  EXPECT_EQ(done[0].file, "/p/k.cpp");
  EXPECT_EQ(done[0].line, line);
  return files["/p/k.cpp"];
}

TEST(VariableArrays, EachFormAndItsTwin) {
  const std::pair<const char*, const char*> rows[] = {
      {"int a[^n] = {};", "int a[n]; __builtin_memset(a, 0, sizeof(a));"},
      {"int a[^n] = {0};", "int a[n]; __builtin_memset(a, 0, sizeof(a));"},
      {"int a[^n]{};", "int a[n]; __builtin_memset(a, 0, sizeof(a));"},
      {"int a[^n] = {1, 0, 2};",
       "int a[n]; __builtin_memset(a, 0, sizeof(a)); a[0] = 1; a[2] = 2;"},
      {"int a[^n] = { f(x, y) , 3, };",
       "int a[n]; __builtin_memset(a, 0, sizeof(a)); a[0] = f(x, y); a[1] = 3;"},
      {"int a[b[^n]] = {1};", ""},
      {"int a[^b[n]] = {1};", "int a[b[n]]; __builtin_memset(a, 0, sizeof(a)); a[0] = 1;"},
      {"int a_1 [^n + 1]\n  = {1} ;",
       "int a_1 [n + 1]; __builtin_memset(a_1, 0, sizeof(a_1)); a_1[0] = 1 ;"},
      {"\n\nint z; /* [ */ int a[^n] = {'}'}; int y;",
       "\n\nint z; /* [ */ int a[n]; __builtin_memset(a, 0, sizeof(a)); a[0] = '}'; int y;"},
      {"a[^n] = {1};", "a[n]; __builtin_memset(a, 0, sizeof(a)); a[0] = 1;"},
      // not understood
      {"int a[^n];", ""},
      {"int a[^n] = b;", ""},
      {"int a[^n] = {1}", ""},
      {"int a[^n] = {1}, b;", ""},
      {"int a[^n] = {{1}};", ""},
      {"int a[^n] = {1,\n 2};", ""},
      {"int a[^n] = {1;", ""},
      {"int a[^n", ""},
      {"int a[2]; n^ = {1};", ""},
      {"^n = {1};", ""},
      {"[^n] = {1};", ""},
      {"int *(a)[^n] = {1};", ""},
  };
  for (const auto& [from, to] : rows) EXPECT_EQ(Set(from), to) << from;
  EXPECT_EQ(Set("int a[^n] = {};", "another error"), "");
}

TEST(VariableArrays, SeveralOfAFileAndOtherNamesOfIt) {
  const std::string text = "int a[n] = {1}; int b[n] = {};\nint c[n] = {2};\n";
  VirtualFiles files{{"/p/k.cpp", text}, {"/p/other.cpp", text}};
  const auto error = [](const char* file, int line, int column) {
    return BuildDiagnostic{"error", file, line, column, kMessage, {}};
  };
  const auto done = SetVariableArrays(
      {error("/p/k.cpp", 1, 7), error("/p/k.cpp", 1, 23), error("/link.cpp", 2, 7),
       error("/p/none.cpp", 1, 7), error("/p/k.cpp", 9, 1), error("/p/k.cpp", 2, 99)},
      {{"/link.cpp", "/p/k.cpp"}}, &files);
  ASSERT_EQ(done.size(), 3u);
  EXPECT_EQ(done[2].file, "/p/k.cpp");
  EXPECT_EQ(done[2].line, 2);
  EXPECT_EQ(files["/p/k.cpp"],
            "int a[n]; __builtin_memset(a, 0, sizeof(a)); a[0] = 1; int b[n]; __builtin_memset(b, "
            "0, sizeof(b));\nint c[n]; __builtin_memset(c, 0, sizeof(c)); c[0] = 2;\n");
  EXPECT_EQ(files["/p/other.cpp"], text);
}

// A column of 0 is no column: the line's first character.
TEST(VariableArrays, PlacesAtTheirLimits) {
  VirtualFiles files{{"/k", "a[n] = {1};"}};
  EXPECT_TRUE(SetVariableArrays({{"error", "/k", 1, 0, kMessage, {}}}, {}, &files).empty());
  EXPECT_TRUE(SetVariableArrays({{"error", "/k", 1, 12, kMessage, {}}}, {}, &files).empty());
  EXPECT_TRUE(SetVariableArrays({{"error", "/k", 2, 1, kMessage, {}}}, {}, &files).empty());
  EXPECT_EQ(SetVariableArrays({{"error", "/k", 1, 3, kMessage, {}}}, {}, &files).size(), 1u);
}
}  // namespace
}  // namespace akgen::toolchain
