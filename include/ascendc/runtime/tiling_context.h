#ifndef AKGEN_RUNTIME_TILING_CONTEXT_H
#define AKGEN_RUNTIME_TILING_CONTEXT_H
#include "exe_graph/runtime/tiling_context.h"
#endif
