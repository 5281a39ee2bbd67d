#include "base/toml.h"

#include <gtest/gtest.h>

namespace akgen::base {
namespace {

// Where a blank may stand toml++ asks of each character whether it is one.
TEST(Toml, LettersBeyondAsciiOutsideOfStrings) {
  for (const char* letter :
       {"\u00a1", "\u00e9", "\u03c0", "\u0499", "\u04ff", "\u4e2d", "\U0001f600"}) {
    for (const char* text : {"%a = 1\n", "a %= 1\n", "a = %1\n", "a = 1 %\n", "a = [1, %]\n",
                             "[a%]\n", "[[%]]\n", "a = {%b = 1}\n"}) {
      std::string toml = text;
      toml.replace(toml.find('%'), 1, letter);
      EXPECT_FALSE(toml::parse(toml)) << toml;
    }
    const toml::parse_result all =
        toml::parse("# " + std::string(letter) + "\na = '''\n" + letter + "'''\nb = \"\"\"\\\n  " +
                    letter + "\"\"\"\n\"" + letter + "\" = 1\n");
    ASSERT_TRUE(all) << letter;
    EXPECT_EQ(all.table()["b"].value_or(std::string()), letter);
  }
}

}  // namespace
}  // namespace akgen::base
