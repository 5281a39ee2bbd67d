// The log functions that host code is linked with.
#include <cstdarg>
#include <cstdio>

#include "host/node.h"
#include "toolchain/slog.h"

namespace akgen {
std::string& HostLog() {
  static std::string log;
  return log;
}
}  // namespace akgen

namespace {
void Add(int level, const char* format, va_list args) {
  if (!CheckLogLevel(0, level)) return;
  char line[MSG_LENGTH];
  int length = std::vsnprintf(line, sizeof line, format, args);
  std::string& log = akgen::HostLog();
  if (length > 0 && log.size() < (1u << 16)) log.append(line).push_back('\n');
}
}  // namespace

int32_t CheckLogLevel(int32_t, int32_t level) { return level >= DLOG_WARN && level < DLOG_NULL; }

void DlogRecord(int32_t, int32_t level, const char* format, ...) {
  va_list args;
  va_start(args, format);
  Add(level, format, args);
  va_end(args);
}

void AkgenHostLog(int level, const char* format, ...) {
  va_list args;
  va_start(args, format);
  Add(level, format, args);
  va_end(args);
}

// Host code is linked so that it calls these in place of the C library's: tiling depends on shapes,
// dtypes and attributes alone, whatever the environment of this process is.
extern "C" char* __wrap_getenv(const char* name) {  // NOLINT: the linker's name
  AkgenHostLog(DLOG_WARN, "getenv(\"%s\") in host code is answered with nothing", name ? name : "");
  return nullptr;
}
extern "C" char* __wrap_secure_getenv(const char* name) { return __wrap_getenv(name); }  // NOLINT
