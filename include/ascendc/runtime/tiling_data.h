#ifndef AKGEN_RUNTIME_TILING_DATA_H
#define AKGEN_RUNTIME_TILING_DATA_H
#include "exe_graph/runtime/tiling_data.h"
#endif
