#ifndef AKGEN_RUNTIME_KERNEL_CONTEXT_H
#define AKGEN_RUNTIME_KERNEL_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"
#endif
