#ifndef ASCENDC_KERNEL_VEC_INTF_H
#define ASCENDC_KERNEL_VEC_INTF_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_VEC_INTF_H
