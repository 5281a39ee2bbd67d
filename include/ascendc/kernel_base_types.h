#ifndef ASCENDC_KERNEL_BASE_TYPES_H
#define ASCENDC_KERNEL_BASE_TYPES_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_BASE_TYPES_H
