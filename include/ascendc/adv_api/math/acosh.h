#ifndef ASCENDC_ADV_API_MATH_ACOSH_H
#define ASCENDC_ADV_API_MATH_ACOSH_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_ACOSH_H
