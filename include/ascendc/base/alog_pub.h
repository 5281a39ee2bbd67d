// The host log under its other names.
#ifndef AKGEN_BASE_ALOG_PUB_H
#define AKGEN_BASE_ALOG_PUB_H
#include "toolchain/slog.h"

#define DLOG_TYPE_DEBUG 0x0
#define DLOG_TYPE_RUN 0x1

inline int32_t AlogCheckDebugLevel(uint32_t module, int32_t level) {
  return CheckLogLevel(static_cast<int32_t>(module), level);
}
#define AlogRecord(module, type, level, ...) \
  ((void)(module), (void)(type), AkgenHostLog((level), __VA_ARGS__))
#endif
