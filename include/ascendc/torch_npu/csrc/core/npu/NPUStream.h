#ifndef AKGEN_TORCH_NPU_CSRC_CORE_NPU_NPUSTREAM_H
#define AKGEN_TORCH_NPU_CSRC_CORE_NPU_NPUSTREAM_H
#include "akgen/torch/tensor.h"
#endif
