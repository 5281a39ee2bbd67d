#pragma once
#include <nlohmann/json.hpp>

namespace akgen::base {
using Json = nlohmann::json;
}  // namespace akgen::base
