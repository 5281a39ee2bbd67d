#ifndef AKGEN_ATEN_CORE_TENSOR_H
#define AKGEN_ATEN_CORE_TENSOR_H
#include "akgen/torch/tensor.h"
#endif
