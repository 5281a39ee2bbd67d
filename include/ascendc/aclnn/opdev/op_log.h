// Log macros of the operator development kit, as host sources use them.
#ifndef AKGEN_ACLNN_OPDEV_OP_LOG_H
#define AKGEN_ACLNN_OPDEV_OP_LOG_H
#include "akgen/host_std.h"
#include "toolchain/slog.h"

#ifndef OP_LOGE_WITHOUT_REPORT
#define OP_LOGE_WITHOUT_REPORT(op_name, ...) \
  ((void)(op_name), AkgenHostLog(DLOG_ERROR, __VA_ARGS__))
#endif
#endif
