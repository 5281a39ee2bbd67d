// Computation on the vector unit.
#ifndef AKGEN_C_API_VECTOR_COMPUTE_H
#define AKGEN_C_API_VECTOR_COMPUTE_H
#include "c_api/ub_arrays.h"
#include "c_api/vector_compute/convert.h"
#include "c_api/vector_compute/elementwise.h"
#include "c_api/vector_compute/move.h"
#include "c_api/vector_compute/reduce.h"
#include "c_api/vector_compute/select.h"
#endif  // AKGEN_C_API_VECTOR_COMPUTE_H
