#ifndef ASCENDC_ADV_API_MATH_COS_H
#define ASCENDC_ADV_API_MATH_COS_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_COS_H
