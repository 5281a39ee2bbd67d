// Kept so that kernels which name it compile: kernel_operator.h has everything but Matmul objects, which are
// unsupported.
#pragma once
#include "kernel_operator.h"

namespace matmul {}
