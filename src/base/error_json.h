// Errors as processes say them to each other and as commands write them.
#pragma once
#include "base/json.h"
#include "base/status.h"

namespace akgen::base {

// {"code", "message", "where", "fix"}
Json ToJson(const Error& error);
// `code`: of what names none, which another version said.
Error ErrorFromJson(const Json& error, const char* code);

}  // namespace akgen::base
