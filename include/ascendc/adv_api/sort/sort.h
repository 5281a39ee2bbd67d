#ifndef ASCENDC_ADV_API_SORT_SORT_H
#define ASCENDC_ADV_API_SORT_SORT_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_SORT_SORT_H
