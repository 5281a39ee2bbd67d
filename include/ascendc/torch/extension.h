#ifndef AKGEN_TORCH_EXTENSION_H
#define AKGEN_TORCH_EXTENSION_H
#include "akgen/torch/library.h"
#endif
