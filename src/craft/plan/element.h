// Elementwise operations of the graph as text of the language; for plan/ only.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "base/json.h"

namespace akgen::craft {

// Why there is no program; becomes AK1540.
struct Unplanned {
  std::string why;
};

// A number as the language writes it.
std::string NumberText(double v);

// A number made of constants and attributes alone, as the host writes it; nothing for any other number. The host
// computes in double.
std::optional<std::string> HostNumber(const base::Json& number);

// The operation applied to operands, which `operand(i)` gives as text; nothing when it is not elementwise.
std::optional<std::string> ElementText(const std::string& op, const base::Json& args,
                                       const std::function<std::string(size_t)>& operand);

}  // namespace akgen::craft
