#ifndef AKGEN_LOG_ERROR_CODE_H
#define AKGEN_LOG_ERROR_CODE_H
#include "op_common/log/error_code.h"
#endif
