// The C-API: functions over pointers into the Unified Buffer, for what the vector unit of 2201 has.
// An operation comes in up to three forms: the first `count` elements; repeats with strides in
// DataBlocks, under the mask that asc_set_vector_mask left; and name_sync, which also waits for it.
// The others leave all synchronisation to the kernel. What the toolkit has beside it is listed in
// akgen/toolkit_names.txt.
#ifndef AKGEN_C_API_ASC_SIMD_H
#define AKGEN_C_API_ASC_SIMD_H
#include "c_api/atomic/atomic.h"
#include "c_api/cache_ctrl/cache_ctrl.h"
#include "c_api/misc/misc.h"
#include "c_api/scalar_compute/scalar_compute.h"
#include "c_api/sync/sync.h"
#include "c_api/sys_var/sys_var.h"
#include "c_api/vector_compute/vector_compute.h"
#include "c_api/vector_datamove/vector_datamove.h"
#endif  // AKGEN_C_API_ASC_SIMD_H
