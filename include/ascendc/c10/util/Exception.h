#ifndef AKGEN_C10_UTIL_EXCEPTION_H
#define AKGEN_C10_UTIL_EXCEPTION_H
#include "akgen/torch/types.h"
#endif
