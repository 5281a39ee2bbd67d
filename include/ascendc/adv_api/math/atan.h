#ifndef ASCENDC_ADV_API_MATH_ATAN_H
#define ASCENDC_ADV_API_MATH_ATAN_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_ATAN_H
