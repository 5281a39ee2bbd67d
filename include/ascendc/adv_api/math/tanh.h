#ifndef ASCENDC_ADV_API_MATH_TANH_H
#define ASCENDC_ADV_API_MATH_TANH_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_TANH_H
