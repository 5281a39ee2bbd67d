// Kept so that kernels which name it compile: kernel_operator.h has everything.
#pragma once
#include "kernel_operator.h"
