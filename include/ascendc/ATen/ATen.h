#ifndef AKGEN_ATEN_ATEN_H
#define AKGEN_ATEN_ATEN_H
#include "akgen/torch/tensor.h"
#endif
