// Base64 as RFC 4648 has it, with padding.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace akgen::base {

std::string ToBase64(std::span<const uint8_t> bytes);
// What stands before the padding; nothing where it is no Base64.
std::optional<std::string> FromBase64(std::string_view text);

}  // namespace akgen::base
