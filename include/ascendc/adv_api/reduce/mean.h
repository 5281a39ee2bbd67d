#ifndef ASCENDC_ADV_API_REDUCE_MEAN_H
#define ASCENDC_ADV_API_REDUCE_MEAN_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_REDUCE_MEAN_H
