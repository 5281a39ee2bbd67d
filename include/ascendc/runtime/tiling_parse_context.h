#ifndef AKGEN_RUNTIME_TILING_PARSE_CONTEXT_H
#define AKGEN_RUNTIME_TILING_PARSE_CONTEXT_H
#include "exe_graph/runtime/tiling_parse_context.h"
#endif
