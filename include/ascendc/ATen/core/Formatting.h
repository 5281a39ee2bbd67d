#ifndef AKGEN_ATEN_CORE_FORMATTING_H
#define AKGEN_ATEN_CORE_FORMATTING_H
#include "akgen/torch/tensor.h"
#endif
