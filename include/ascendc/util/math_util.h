#ifndef AKGEN_UTIL_MATH_UTIL_H
#define AKGEN_UTIL_MATH_UTIL_H
#include "op_common/op_host/util/math_util.h"
#endif
