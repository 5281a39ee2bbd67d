#ifndef AKGEN_ADV_API_MATMUL_INTF_H
#define AKGEN_ADV_API_MATMUL_INTF_H
#include "lib/matmul_intf.h"
#endif
