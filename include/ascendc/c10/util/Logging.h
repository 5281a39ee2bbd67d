#ifndef AKGEN_C10_UTIL_LOGGING_H
#define AKGEN_C10_UTIL_LOGGING_H
#include "akgen/torch/types.h"
#endif
