#ifndef ASCENDC_KERNEL_STRUCT_MM_H
#define ASCENDC_KERNEL_STRUCT_MM_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_STRUCT_MM_H
