// The host log. Messages at warning level and above go into the record of the current call.
#ifndef AKGEN_TOOLCHAIN_SLOG_H
#define AKGEN_TOOLCHAIN_SLOG_H
#include <cstdint>

#define DLOG_DEBUG 0x0
#define DLOG_INFO 0x1
#define DLOG_WARN 0x2
#define DLOG_ERROR 0x3
#define DLOG_NULL 0x4
#define DLOG_EVENT 0x10
#define MSG_LENGTH 1024

enum AkgenLogModule { OP = 63 };

#ifndef OPS_UTILS_LOG_SUB_MOD_NAME
#define OPS_UTILS_LOG_SUB_MOD_NAME "OP"
#endif
#ifndef OPS_UTILS_LOG_PACKAGE_TYPE
#define OPS_UTILS_LOG_PACKAGE_TYPE ""
#endif

// 1 when messages of the level are kept.
extern "C" int32_t CheckLogLevel(int32_t module, int32_t level);
extern "C" void DlogRecord(int32_t module, int32_t level, const char* format, ...);
void AkgenHostLog(int level, const char* format, ...);
#define DlogSub(module, submodule, level, ...) ((void)(module), AkgenHostLog((level), __VA_ARGS__))
#define dlog_error(module, ...) AkgenHostLog(DLOG_ERROR, __VA_ARGS__)
#define dlog_warn(module, ...) AkgenHostLog(DLOG_WARN, __VA_ARGS__)
#define dlog_info(module, ...) AkgenHostLog(DLOG_INFO, __VA_ARGS__)
#define dlog_debug(module, ...) AkgenHostLog(DLOG_DEBUG, __VA_ARGS__)
#endif
