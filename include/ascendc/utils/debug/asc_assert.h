// The debugging functions of kernels (printf, DumpTensor, assert) live in kernel_operator.h.
#ifndef AKGEN_UTILS_DEBUG_ASC_ASSERT_H
#define AKGEN_UTILS_DEBUG_ASC_ASSERT_H
#include <stdio.h>

#include "kernel_operator.h"
#endif  // AKGEN_UTILS_DEBUG_ASC_ASSERT_H
