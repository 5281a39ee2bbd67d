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

int CheckLogLevel(int, int level) { return level >= DLOG_WARN && level < DLOG_NULL; }

void AkgenHostLog(int level, const char* format, ...) {
  if (!CheckLogLevel(0, level)) return;
  char line[MSG_LENGTH];
  va_list args;
  va_start(args, format);
  int length = std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  std::string& log = akgen::HostLog();
  if (length > 0 && log.size() < (1u << 16)) log.append(line).push_back('\n');
}
