#ifndef AKGEN_TORCH_ALL_H
#define AKGEN_TORCH_ALL_H
#include "akgen/torch/library.h"
#endif
