#ifndef AKGEN_RUNTIME_SHAPE_H
#define AKGEN_RUNTIME_SHAPE_H
#include "exe_graph/runtime/shape.h"
#endif
