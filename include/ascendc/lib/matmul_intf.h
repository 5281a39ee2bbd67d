// Matmul objects. Define ASCENDC_CUBE_ONLY before this header for a kernel whose objects are on the
// Cube core.
#pragma once
#include "kernel_operator.h"

#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)
#include "kernel/matmul/register.h"
#pragma clang attribute pop

#ifndef __kfc_workspace__
#define __kfc_workspace__
#endif
