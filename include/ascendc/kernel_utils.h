// Small helpers that older kernels take from a header of this name; kernel_operator.h has them.
#ifndef AKGEN_KERNEL_UTILS_H
#define AKGEN_KERNEL_UTILS_H
#include "kernel_operator.h"
#endif  // AKGEN_KERNEL_UTILS_H
