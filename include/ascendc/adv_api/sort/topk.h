#ifndef ASCENDC_ADV_API_SORT_TOPK_H
#define ASCENDC_ADV_API_SORT_TOPK_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_SORT_TOPK_H
