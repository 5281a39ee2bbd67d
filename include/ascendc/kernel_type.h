#ifndef ASCENDC_KERNEL_TYPE_H
#define ASCENDC_KERNEL_TYPE_H
#include "kernel_operator.h"
#endif
