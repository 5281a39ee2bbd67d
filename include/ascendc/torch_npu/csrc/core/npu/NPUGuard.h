#ifndef AKGEN_TORCH_NPU_CSRC_CORE_NPU_NPUGUARD_H
#define AKGEN_TORCH_NPU_CSRC_CORE_NPU_NPUGUARD_H
#include "akgen/torch/tensor.h"
#endif
