#ifndef ASCENDC_KERNEL_TENSOR_H
#define ASCENDC_KERNEL_TENSOR_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_TENSOR_H
