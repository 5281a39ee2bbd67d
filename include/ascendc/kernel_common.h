#ifndef ASCENDC_KERNEL_COMMON_H
#define ASCENDC_KERNEL_COMMON_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_COMMON_H
