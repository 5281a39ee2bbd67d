// What ran a kernel, as records name it; and whether a verdict over it is evidence.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.h"

namespace akgen::record {

// As machine code in the sandbox; as a guest of the chip (src/guest), which can do nothing but
// submit a kernel; or on a real device (src/device), whose process runs the candidate's code too.
enum class Backend : uint8_t { kNative, kGuest, kNpu };
inline constexpr Backend kDefaultBackend =
    Backend::kGuest;                       // of everything that judges or runs kernels
std::string_view NameOf(Backend backend);  // "native", "guest", "npu"
std::optional<Backend> BackendFromName(std::string_view name);
// Its name; another one throws base::Json::exception.
void to_json(base::Json& j, Backend b);
void from_json(const base::Json& j, Backend& b);
// The field "sealed" of a record (record/verdict.h): native code shares a process with what writes
// the verdict.
constexpr bool IsSealed(Backend backend) { return backend == Backend::kGuest; }

}  // namespace akgen::record
