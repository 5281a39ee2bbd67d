#ifndef AKGEN_C10_CORE_SCALARTYPE_H
#define AKGEN_C10_CORE_SCALARTYPE_H
#include "akgen/torch/types.h"
#endif
