#ifndef ASCENDC_ADV_API_MATH_FLOOR_H
#define ASCENDC_ADV_API_MATH_FLOOR_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_FLOOR_H
