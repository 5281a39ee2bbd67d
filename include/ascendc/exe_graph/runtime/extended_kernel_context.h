// The older name of this header.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
#define AKGEN_EXE_GRAPH_RUNTIME_EXTENDED_KERNEL_CONTEXT_H
#include "exe_graph/runtime/kernel_context.h"
#endif
