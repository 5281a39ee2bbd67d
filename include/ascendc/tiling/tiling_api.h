// Tiling functions of the advanced API, and the host classes they use.
#ifndef AKGEN_TILING_TILING_API_H
#define AKGEN_TILING_TILING_API_H
#include "graph/tensor.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#endif
