#ifndef AKGEN_PYBIND11_PYBIND11_H
#define AKGEN_PYBIND11_PYBIND11_H
#include "akgen/torch/library.h"
#endif
