// Everything a host source can include, in one header: what the builder precompiles for op_host
// files.
#ifndef AKGEN_HOST_PRELUDE_H
#define AKGEN_HOST_PRELUDE_H
#define AKGEN_HOST_PRELUDE_OPEN
#include <sys/syscall.h>
#include <unistd.h>
#include "akgen/host_std.h"
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/operator.h"
#include "graph/utils/type_utils.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"
#include "platform/platform_info.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "securec.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
#undef AKGEN_HOST_PRELUDE_OPEN
// Log headers ask for their thread's number this way. Host code makes no other system call.
inline long AkgenHostSyscall(long number, ...) { return number == SYS_gettid ? 1 : -1; }
#define syscall AkgenHostSyscall
#endif
