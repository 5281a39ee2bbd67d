// The vector API of the basic layer.
#ifndef AKGEN_KERNEL_VEC_API_H
#define AKGEN_KERNEL_VEC_API_H
#include "kernel/vec_cast.h"
#include "kernel/vec_cmpsel.h"
#include "kernel/vec_declared.h"
#include "kernel/vec_fill.h"
#include "kernel/vec_gather.h"
#include "kernel/vec_reduce.h"
#include "kernel/vec_sort.h"
#include "kernel/vec_transpose.h"
#endif  // AKGEN_KERNEL_VEC_API_H
