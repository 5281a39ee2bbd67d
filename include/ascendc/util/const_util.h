#ifndef AKGEN_UTIL_CONST_UTIL_H
#define AKGEN_UTIL_CONST_UTIL_H
#include "op_common/op_host/util/const_util.h"
#endif
