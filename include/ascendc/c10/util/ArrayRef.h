#ifndef AKGEN_C10_UTIL_ARRAYREF_H
#define AKGEN_C10_UTIL_ARRAYREF_H
#include "akgen/torch/types.h"
#endif
