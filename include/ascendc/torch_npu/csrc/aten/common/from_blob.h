#ifndef AKGEN_TORCH_NPU_CSRC_ATEN_COMMON_FROM_BLOB_H
#define AKGEN_TORCH_NPU_CSRC_ATEN_COMMON_FROM_BLOB_H
#include "akgen/torch/tensor.h"
#endif
