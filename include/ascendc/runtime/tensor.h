#ifndef AKGEN_RUNTIME_TENSOR_H
#define AKGEN_RUNTIME_TENSOR_H
#include "exe_graph/runtime/tensor.h"
#endif
