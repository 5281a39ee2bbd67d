#ifndef ASCENDC_ADV_API_MATH_XOR_H
#define ASCENDC_ADV_API_MATH_XOR_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_XOR_H
