#ifndef ASCENDC_ADV_API_MATH_ACOS_H
#define ASCENDC_ADV_API_MATH_ACOS_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_ACOS_H
