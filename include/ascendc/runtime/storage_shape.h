#ifndef AKGEN_RUNTIME_STORAGE_SHAPE_H
#define AKGEN_RUNTIME_STORAGE_SHAPE_H
#include "exe_graph/runtime/storage_shape.h"
#endif
