#ifndef AKGEN_C10_CORE_DEVICEGUARD_H
#define AKGEN_C10_CORE_DEVICEGUARD_H
#include "akgen/torch/tensor.h"
#endif
