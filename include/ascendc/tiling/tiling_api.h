// Tiling functions of the advanced API, and the host classes they use.
#ifndef AKGEN_TILING_TILING_API_H
#define AKGEN_TILING_TILING_API_H
#include "graph/tensor.h"
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "securec.h"
#include "tiling/library_tiling.h"
#include "tiling/matmul_tiling.h"
#include "tiling/norm_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/softmax_tiling.h"
#include "tiling/tmp_size_tiling.h"

constexpr ge::graphStatus SUCCESS = 0;  // host sources compare results with this name
#endif
