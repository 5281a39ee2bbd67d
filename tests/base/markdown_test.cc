#include "base/markdown.h"

#include <gtest/gtest.h>

namespace akgen::base {
namespace {
TEST(Markdown, TextShowsItself) {
  EXPECT_EQ(MarkdownText("op_kernel/fill.cpp:3: 4 of 8 (50 %)"),
            "op_kernel/fill.cpp:3: 4 of 8 (50 %)");
  EXPECT_EQ(MarkdownText("a|b\nc\r\td"), "a\\|b c  d");
  EXPECT_EQ(MarkdownText("</td><script>x</script>"), "\\</td\\>\\<script\\>x\\</script\\>");
  EXPECT_EQ(MarkdownText("![i](http://x/y.png)"), "\\!\\[i\\](http\\://x/y.png)");
  EXPECT_EQ(MarkdownText("**b** _i_ `c` ~s~ $m$ &lt; # h"),
            "\\*\\*b\\*\\* \\_i\\_ \\`c\\` \\~s\\~ \\$m\\$ \\&lt; \\# h");
  EXPECT_EQ(MarkdownText("back\\slash|"), "back\\\\slash\\|");
}

// Of each length the first and the last character there is, and the first that is none.
TEST(Markdown, EveryLimitOfUtf8) {
  for (const char* text : {"\x20", "\x7d", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_EQ(MarkdownText(text), text);
  for (const char* text :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3"})
    EXPECT_TRUE(MarkdownText(text).starts_with("\xef\xbf\xbd")) << text;
  EXPECT_EQ(MarkdownText("\x1f\x7f\xc2\x80\xc2\x9f"), "    ") << "controls";
  EXPECT_EQ(MarkdownText("a_b _ _a b_ a:b ://"), "a_b \\_ \\_a b\\_ a:b \\://");
}

TEST(Markdown, ControlCharactersAndBytesThatAreNoText) {
  EXPECT_EQ(MarkdownText("a\x1b[31mb\x07"), "a \\[31mb ");
  EXPECT_EQ(MarkdownText(std::string("a\0b", 3)), "a b");
  EXPECT_EQ(MarkdownText("\xc2\x9b"
                         "31m"),
            " 31m")
      << "a control sequence of one character";
  EXPECT_EQ(MarkdownText("\xff"
                         "a\xc3"),
            "\xef\xbf\xbd"
            "a\xef\xbf\xbd");
  EXPECT_EQ(MarkdownText("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd")
      << "half of a pair";
  EXPECT_EQ(MarkdownText("\xc3\xa4\xe2\x82\xac"), "\xc3\xa4\xe2\x82\xac");
  EXPECT_EQ(MarkdownText("ab\xc3\xa4", 3), "ab") << "a character is not cut";
  EXPECT_EQ(MarkdownText("abcd", 3), "abc");
}
}  // namespace
}  // namespace akgen::base
