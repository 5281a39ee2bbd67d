#ifndef AKGEN_C10_UTIL_BFLOAT16_H
#define AKGEN_C10_UTIL_BFLOAT16_H
#include "akgen/torch/types.h"
#endif
