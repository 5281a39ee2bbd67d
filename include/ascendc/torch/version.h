#ifndef AKGEN_TORCH_VERSION_H
#define AKGEN_TORCH_VERSION_H
#include "akgen/torch/types.h"
#endif
