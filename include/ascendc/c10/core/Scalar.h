#ifndef AKGEN_C10_CORE_SCALAR_H
#define AKGEN_C10_CORE_SCALAR_H
#include "akgen/torch/types.h"
#endif
