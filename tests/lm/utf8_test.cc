// Characters as bytes: every character there and back, and ranges cut at the limits of UTF-8's
// lengths.
#include <gtest/gtest.h>

#include "lm/sample/utf8_ranges.h"

namespace akgen::lm {
namespace {
bool Surrogate(uint32_t c) { return c >= 0xD800 && c <= 0xDFFF; }

TEST(Utf8, EveryCharacterComesBack) {
  for (uint32_t c = 0; c <= 0x10FFFF; ++c) {
    if (Surrogate(c)) continue;
    const std::string s = EncodeUtf8(c);
    ASSERT_EQ(s.size(), c < 0x80 ? 1u : c < 0x800 ? 2u : c < 0x10000 ? 3u : 4u) << c;
    size_t at = 1;
    uint32_t back = 0;
    ASSERT_TRUE(DecodeUtf8("x" + s, at, back)) << c;
    ASSERT_EQ(back, c);
    ASSERT_EQ(at, 1 + s.size());
    at = 0;
    if (s.size() > 1) ASSERT_FALSE(DecodeUtf8(s.substr(0, s.size() - 1), at, back)) << "cut off";
  }
  EXPECT_EQ(EncodeUtf8(0x20AC), "\xE2\x82\xAC");
}

TEST(Utf8, BytesThatAreNoCharacter) {
  for (const char* text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xF5\x80\x80\x80", "\xFF",
                           "\xC2\x7F", "\xC2\xC0", "\xE2\x82\x28", "\xF0\x9F\x98\x28"}) {
    size_t at = 0;
    uint32_t c = 0;
    EXPECT_FALSE(DecodeUtf8(text, at, c)) << text;
    EXPECT_EQ(at, 0u);
  }
}

// As many sequences of bytes as characters, and each of the range's ends among them.
TEST(Utf8, RangesHoldTheirCharactersAndNoOthers) {
  const uint32_t limits[] = {0,      1,       0x41,    0x7F,    0x80,     0xBF,    0xC0,   0x7FF,
                             0x800,  0xFFF,   0x1000,  0xD7FF,  0xD800,   0xDFFF,  0xE000, 0xFFFE,
                             0xFFFF, 0x10000, 0x3FFFF, 0x40000, 0x10FFFE, 0x10FFFF};
  for (uint32_t from : limits)
    for (uint32_t to : limits) {
      if (from > to) continue;
      uint64_t characters = to - from + 1, sequences = 0;
      for (uint32_t c = std::max(from, 0xD800u); c <= std::min(to, 0xDFFFu); ++c) --characters;
      const auto cut = Utf8Sequences({{from, to}});
      const auto holds = [&](uint32_t c) {
        const std::string s = EncodeUtf8(c);
        int in = 0;
        for (const ByteRanges& q : cut) {
          bool all = q.size() == s.size();
          for (size_t i = 0; all && i < s.size(); ++i)
            all = q[i].first <= uint8_t(s[i]) && uint8_t(s[i]) <= q[i].second;
          in += all;
        }
        return in;
      };
      for (const ByteRanges& q : cut) {
        uint64_t n = 1;
        for (const auto& [low, high] : q) n *= uint64_t(high) - low + 1;
        sequences += n;
      }
      EXPECT_EQ(sequences, characters) << from << " to " << to;
      for (uint32_t c : limits)
        if (!Surrogate(c))
          EXPECT_EQ(holds(c), c >= from && c <= to ? 1 : 0) << c << " in " << from << " to " << to;
    }
  EXPECT_TRUE(Utf8Sequences({{0xD800, 0xDFFF}}).empty());
}

TEST(Utf8, WhatIsNotInRanges) {
  const auto text = [](std::vector<CodeRange> ranges) {
    std::string out;
    for (const CodeRange& r : Complement(std::move(ranges)))
      out += std::to_string(r.from) + "-" + std::to_string(r.to) + " ";
    return out;
  };
  EXPECT_EQ(text({}), "0-1114111 ");
  EXPECT_EQ(text({{0, 0x10FFFF}}), "");
  EXPECT_EQ(text({{0, 0x10FFFE}}), "1114111-1114111 ");
  EXPECT_EQ(text({{5, 7}, {1, 1}}), "0-0 2-4 8-1114111 ");
  EXPECT_EQ(text({{1, 4}, {5, 7}}), "0-0 8-1114111 ") << "neighbours";
  EXPECT_EQ(text({{1, 9}, {3, 4}, {9, 12}}), "0-0 13-1114111 ") << "one in another";
}
}  // namespace
}  // namespace akgen::lm
