#ifndef AKGEN_RUNTIME_CONTINUOUS_VECTOR_H
#define AKGEN_RUNTIME_CONTINUOUS_VECTOR_H
#include "exe_graph/runtime/continuous_vector.h"
#endif
