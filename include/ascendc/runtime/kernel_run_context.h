#ifndef AKGEN_RUNTIME_KERNEL_RUN_CONTEXT_H
#define AKGEN_RUNTIME_KERNEL_RUN_CONTEXT_H
#include "exe_graph/runtime/kernel_run_context.h"
#endif
