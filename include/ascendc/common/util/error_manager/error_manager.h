// Errors reported with a code: they go into the host log.
#ifndef AKGEN_COMMON_UTIL_ERROR_MANAGER_H
#define AKGEN_COMMON_UTIL_ERROR_MANAGER_H
#include "akgen/host_std.h"
#include "toolchain/slog.h"

#define REPORT_INNER_ERROR(code, ...) ((void)(code), AkgenHostLog(DLOG_ERROR, __VA_ARGS__))
#define REPORT_CALL_ERROR(code, ...) ((void)(code), AkgenHostLog(DLOG_ERROR, __VA_ARGS__))
#define REPORT_INNER_ERR_MSG(code, ...) ((void)(code), AkgenHostLog(DLOG_ERROR, __VA_ARGS__))
#define REPORT_PREDEFINED_ERR_MSG(code, ...) ((void)(code))
#define REPORT_INPUT_ERROR(code, ...) ((void)(code))
#endif
