// Tensor lists under the name that some kernels include; the umbrella has everything.
#ifndef ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#define ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_OPERATOR_LIST_TENSOR_INTF_H
