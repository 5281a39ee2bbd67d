#ifndef ASCENDC_ADV_API_MATH_ASIN_H
#define ASCENDC_ADV_API_MATH_ASIN_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_ASIN_H
