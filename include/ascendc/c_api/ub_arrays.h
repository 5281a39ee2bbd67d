// `__ubuf__ float x[256];` in a kernel declares an array in the Unified Buffer; where is the
// compiler's choice. The builder reads the word (src/toolchain/builder/ub_arrays.h), and takes it
// away wherever it says nothing: on pointers, parameters and functions.
#include "kernel_operator.h"

#pragma clang diagnostic ignored "-Wignored-attributes"
#undef __ubuf__
#define __ubuf__ __attribute__((annotate("akgen.ub")))
