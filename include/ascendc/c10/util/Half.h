#ifndef AKGEN_C10_UTIL_HALF_H
#define AKGEN_C10_UTIL_HALF_H
#include "akgen/torch/types.h"
#endif
