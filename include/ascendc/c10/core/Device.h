#ifndef AKGEN_C10_CORE_DEVICE_H
#define AKGEN_C10_CORE_DEVICE_H
#include "akgen/torch/tensor.h"
#endif
