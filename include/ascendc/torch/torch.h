#ifndef AKGEN_TORCH_TORCH_H
#define AKGEN_TORCH_TORCH_H
#include "akgen/torch/library.h"
#endif
