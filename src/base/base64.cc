#include "base/base64.h"

#include <array>

namespace akgen::base {
namespace {
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> kSixBits = [] {
  std::array<int8_t, 256> out{};
  out.fill(-1);
  for (size_t i = 0; i < kDigits.size(); ++i)
    out[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return out;
}();
}  // namespace

std::string ToBase64(std::span<const uint8_t> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    const uint32_t three = uint32_t{bytes[i]} << 16 | (left > 1 ? uint32_t{bytes[i + 1]} << 8 : 0) |
                           (left > 2 ? uint32_t{bytes[i + 2]} : 0);
    for (size_t digit = 0; digit < 4; ++digit)
      out += digit <= left ? kDigits[three >> (18 - 6 * digit) & 63] : '=';
  }
  return out;
}

std::optional<std::string> FromBase64(std::string_view text) {
  text = text.substr(0, text.find('='));
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  unsigned bits = 0;
  int have = 0;
  for (const char c : text) {
    const int six = kSixBits[static_cast<uint8_t>(c)];
    if (six < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<unsigned>(six)) & 0xffff;
    have += 6;
    if (have >= 8) out += static_cast<char>(bits >> (have -= 8) & 0xff);
  }
  return out;
}

}  // namespace akgen::base
