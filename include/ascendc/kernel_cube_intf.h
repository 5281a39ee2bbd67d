#ifndef ASCENDC_KERNEL_CUBE_INTF_H
#define ASCENDC_KERNEL_CUBE_INTF_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_CUBE_INTF_H
