// The program's version: of --version and of every record.
#pragma once

namespace akgen::base {

inline constexpr const char* kVersion = "0.2.0";

}  // namespace akgen::base
