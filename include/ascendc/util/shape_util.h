#ifndef AKGEN_UTIL_SHAPE_UTIL_H
#define AKGEN_UTIL_SHAPE_UTIL_H
#include "op_common/op_host/util/shape_util.h"
#endif
