// Bytes as text in JSON: two hexadecimal digits each.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace akgen::base {

inline std::string HexOf(const std::vector<uint8_t>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (uint8_t b : bytes) out += {kDigits[b >> 4], kDigits[b & 15]};
  return out;
}

// Throws base::Json::exception on any other character.
inline std::vector<uint8_t> BytesOfHex(std::string_view hex) {
  auto digit = [](char c) -> uint8_t {
    if (c >= '0' && c <= '9') return uint8_t(c - '0');
    if ((c | 32) >= 'a' && (c | 32) <= 'f') return uint8_t((c | 32) - 'a' + 10);
    ThrowJsonShape("a character that is not a hexadecimal digit");
  };
  std::vector<uint8_t> out(hex.size() / 2);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = uint8_t(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return out;
}

}  // namespace akgen::base
