#ifndef AKGEN_TORCH_TYPES_H
#define AKGEN_TORCH_TYPES_H
#include "akgen/torch/types.h"
#endif
