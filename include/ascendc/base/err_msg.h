#ifndef AKGEN_BASE_ERR_MSG_H
#define AKGEN_BASE_ERR_MSG_H
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "toolchain/slog.h"

// Reports of errors to the toolkit's error manager: they go into the log of the current call.
inline void AkgenReport(const char* code, const std::vector<const char*>& keys,
                        const std::vector<const char*>& values) {
  std::string text = code;
  for (size_t i = 0; i < keys.size() && i < values.size(); ++i)
    text += std::string(" ") + (keys[i] ? keys[i] : "") + "=" + (values[i] ? values[i] : "");
  AkgenHostLog(DLOG_ERROR, "%s", text.c_str());
}
// A list of messages that the toolkit would show: nothing here looks one up.
#define REG_FORMAT_ERROR_MSG(text, length) static_assert(true, "")
#define REPORT_PREDEFINED_ERR_MSG(code, keys, values) AkgenReport(code, keys, values)
#define REPORT_INNER_ERR_MSG(code, ...) (AkgenHostLog(DLOG_ERROR, __VA_ARGS__), 0)
#define REPORT_USER_DEFINED_ERR_MSG(code, ...) (AkgenHostLog(DLOG_ERROR, __VA_ARGS__), 0)
#endif
