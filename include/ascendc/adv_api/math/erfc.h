#ifndef ASCENDC_ADV_API_MATH_ERFC_H
#define ASCENDC_ADV_API_MATH_ERFC_H
#include "kernel_operator.h"
#endif  // ASCENDC_ADV_API_MATH_ERFC_H
