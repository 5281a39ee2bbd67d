#ifndef ASCENDC_KERNEL_TPIPE_H
#define ASCENDC_KERNEL_TPIPE_H
#include "kernel_operator.h"
#endif  // ASCENDC_KERNEL_TPIPE_H
