// Elementwise operations of the graph as text of the language; for plan/ only.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "craft/plan/unplanned.h"
#include "record/graph.h"

namespace akgen::craft {

// A number as the language writes it.
std::string NumberText(double v);

// A constant as the language writes it; nothing for a text.
std::optional<std::string> ConstantText(const record::GraphConstant& value);

// The same, or Unplanned: what a number is in this case.
std::string ConstantOf(const record::GraphNumber& number);

// A number made of constants and attributes alone, as the host writes it; nothing for any other
// number. The host computes in double.
std::optional<std::string> HostNumber(const record::GraphNumber& number);

// The operation applied to operands, which `operand(i)` gives as text; nothing when it is not
// elementwise.
std::optional<std::string> ElementText(const std::string& op, const record::GraphArgs& args,
                                       const std::function<std::string(size_t)>& operand);

}  // namespace akgen::craft
