#ifndef AKGEN_RUNTIME_INFER_SHAPE_CONTEXT_H
#define AKGEN_RUNTIME_INFER_SHAPE_CONTEXT_H
#include "exe_graph/runtime/infer_shape_context.h"
#endif
