// Ranges of characters as sequences of byte ranges in UTF-8.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace akgen::lm {

struct CodeRange {
  uint32_t from, to;  // inclusive
};
using ByteRanges = std::vector<std::pair<uint8_t, uint8_t>>;

std::string EncodeUtf8(uint32_t c);
// Reads one character and moves `at` behind it; false when the bytes are none.
bool DecodeUtf8(std::string_view text, size_t& at, uint32_t& c);
// All characters not in `ranges`.
std::vector<CodeRange> Complement(std::vector<CodeRange> ranges);
// Surrogates, which UTF-8 does not write, are left out.
std::vector<ByteRanges> Utf8Sequences(const std::vector<CodeRange>& ranges);

}  // namespace akgen::lm
