#ifndef AKGEN_RUNTIME_INFER_DATATYPE_CONTEXT_H
#define AKGEN_RUNTIME_INFER_DATATYPE_CONTEXT_H
#include "exe_graph/runtime/infer_datatype_context.h"
#endif
