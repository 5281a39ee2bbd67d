// Tiling functions of the advanced API, and the host classes they use.
#ifndef AKGEN_TILING_TILING_API_H
#define AKGEN_TILING_TILING_API_H
#include "graph/tensor.h"
#include "kernel_tiling/kernel_tiling.h"
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
// Left out of what is precompiled: sources that do not include this header may give these names to
// constants of theirs.
#if !defined(AKGEN_HOST_PRELUDE_OPEN)
#include "akgen/block_constants.h"
#endif
