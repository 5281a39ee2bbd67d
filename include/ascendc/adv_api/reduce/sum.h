#ifndef ASCENDC_ADV_API_REDUCE_SUM_H
#define ASCENDC_ADV_API_REDUCE_SUM_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_REDUCE_SUM_H
