// Kept so that kernels which name it compile: TCubeTiling is in kernel_tiling.h.
#pragma once
#include "kernel_tiling/kernel_tiling.h"
