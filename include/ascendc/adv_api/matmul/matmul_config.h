// Kept so that kernels which name it compile: lib/matmul_intf.h has everything.
#pragma once
#include "lib/matmul_intf.h"
