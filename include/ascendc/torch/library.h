#ifndef AKGEN_TORCH_LIBRARY_H
#define AKGEN_TORCH_LIBRARY_H
#include "akgen/torch/library.h"
#endif
