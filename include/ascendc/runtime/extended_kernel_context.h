#ifndef AKGEN_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
#define AKGEN_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
#include "exe_graph/runtime/extended_kernel_context.h"
#endif
