// The kernel-side view of Ascend C, for the cores of NpuArch 2201.
// Clean room: names, signatures and documented behaviour only. Every call fills a record of
// akgen/abi.h and hands it to the simulated chip. What the toolkit has beside it is listed in
// akgen/toolkit_names.txt.
#ifndef ASCENDC_KERNEL_OPERATOR_H
#define ASCENDC_KERNEL_OPERATOR_H

#if !defined(__clang__)
#error "akgen: clang compiles kernels (16-bit floating types, attributes of the device language)"
#endif

// Device compilers take `x.template f()` without a template argument list; later clangs made it an
// error.
#if __has_warning("-Wmissing-template-arg-list-after-template-kw")
#pragma clang diagnostic ignored "-Wmissing-template-arg-list-after-template-kw"
#endif

// The builder announces every plain load and store to the chip. The functions of these headers are
// left out: what they touch besides their own variables they announce themselves.
#pragma clang attribute push(__attribute__((disable_sanitizer_instrumentation)), \
                             apply_to = function)

#include "kernel/cube_compute.h"
#include "kernel/cube_load.h"
#include "kernel/cube_params.h"
#include "kernel/data_copy.h"
#include "kernel/debug.h"
#include "kernel/event.h"
#include "kernel/group_barrier.h"
#include "kernel/init_output.h"
#include "kernel/layout.h"
#include "kernel/list_tensor.h"
#include "kernel/pipe.h"
#include "kernel/scalar.h"
#include "kernel/std.h"
#include "kernel/sync.h"
#include "kernel/system.h"
#include "kernel/tensor.h"
#include "kernel/tensor_trait.h"
#include "kernel/tiling.h"
#include "kernel/types.h"

#include "kernel/adv_api.h"
#include "kernel/legacy.h"
#include "kernel/vec_api.h"

#pragma clang attribute pop

#endif  // ASCENDC_KERNEL_OPERATOR_H
