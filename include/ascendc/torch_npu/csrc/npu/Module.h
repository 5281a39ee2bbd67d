#ifndef AKGEN_TORCH_NPU_CSRC_NPU_MODULE_H
#define AKGEN_TORCH_NPU_CSRC_NPU_MODULE_H
#include "akgen/torch/tensor.h"
#endif
