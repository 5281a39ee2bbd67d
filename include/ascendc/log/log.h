#ifndef AKGEN_LOG_LOG_H
#define AKGEN_LOG_LOG_H
#include "op_common/log/log.h"
#endif
