#ifndef ASCENDC_ADV_API_MATH_SIGN_H
#define ASCENDC_ADV_API_MATH_SIGN_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_SIGN_H
