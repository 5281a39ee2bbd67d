#ifndef ASCENDC_ADV_API_PAD_PAD_H
#define ASCENDC_ADV_API_PAD_PAD_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_PAD_PAD_H
