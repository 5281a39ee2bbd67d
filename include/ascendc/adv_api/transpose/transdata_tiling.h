// Kept so that host code which names it compiles: tiling_api.h has everything.
#pragma once
#include "tiling/tiling_api.h"
