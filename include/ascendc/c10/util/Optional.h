#ifndef AKGEN_C10_UTIL_OPTIONAL_H
#define AKGEN_C10_UTIL_OPTIONAL_H
#include "akgen/torch/types.h"
#endif
