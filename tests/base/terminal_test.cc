#include "base/terminal.h"

#include <gtest/gtest.h>

namespace akgen::base {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(Printable("two lines\n\tof text: 16 µs — 数据\n"),
            "two lines\n\tof text: 16 µs — 数据\n");
  EXPECT_EQ(Printable(""), "");
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("\033[2Jgone\r\a\b"), "\\x1b[2Jgone\\x0d\\x07\\x08");
  EXPECT_EQ(Printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\xc2\\x9b31m");  // CSI as one character
  EXPECT_EQ(Printable("x\x9b"
                      "31m"),
            "x\\x9b31m");  // and as one byte
}

}  // namespace
}  // namespace akgen::base
