// Qualifiers and compiler words of the device language that mean nothing on a host compiler.
// One core's code is compiled at a time, and address spaces are checked by the simulator, so they
// expand to nothing.
#ifndef ASCENDC_KERNEL_MACROS_H
#define ASCENDC_KERNEL_MACROS_H

#define __aicore__
#define __global__ __attribute__((visibility("default")))
#define __vector__
// What a launch of such a kernel starts is read where the launch is rewritten.
#define __cube__
#define __mix__(cube_cores, vector_cores)
#define __schedmode__(mode)
#define __host_aicore__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __biasbuf__
#define __tiling_data_ptr__ __gm__
#define __BLOCK_LOCAL__ __attribute__((section(".block_local")))
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __sync_alias__
#define __sync_noalias__
#define __WORKGROUP_LOCAL__
#ifndef __inline__
#define __inline__ inline
#endif
#ifndef __forceinline__
#define __forceinline__ inline
#endif
#define __ub_size__

#define GM_ADDR __gm__ uint8_t*

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

// Expands to nothing at all: kernels write it with and without a semicolon, and name things in it
// that need not exist.
#undef ASSERT
#define ASSERT(...)
#define ASCENDC_ASSERT(...)
#define KERNEL_LOG(...)

// A kernel is compiled once for each type of core that it runs on.
#define ASCEND_IS_AIV constexpr(g_coreType == AscendC::AIV)
#define ASCEND_IS_AIC constexpr(g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(g_coreType != AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(g_coreType != AscendC::AIC)

// Dtype numbers as preprocessor constants: kernels of operators compare ORIG_DTYPE_<NAME> with them
// in #if. Absent beside host headers, whose ge::DataType and ge::Format have these names, and in
// programs, which have no such parameters and may use the names for their own.
#if !defined(AKGEN_GRAPH_TYPES_H) && !defined(AKGEN_PROGRAM)
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_STRING 13
#define DT_DUAL_SUB_INT8 14
#define DT_DUAL_SUB_UINT8 15
#define DT_COMPLEX64 16
#define DT_COMPLEX128 17
#define DT_QINT8 18
#define DT_QINT16 19
#define DT_QINT32 20
#define DT_QUINT8 21
#define DT_QUINT16 22
#define DT_RESOURCE 23
#define DT_STRING_REF 24
#define DT_DUAL 25
#define DT_VARIANT 26
#define DT_BF16 27
#define DT_UNDEFINED 28
#define DT_INT4 29
#define DT_UINT1 30
#define DT_INT2 31
#define DT_UINT2 32
#define DT_COMPLEX32 33
#define DT_HIFLOAT8 34
#define DT_FLOAT8_E5M2 35
#define DT_FLOAT8_E4M3FN 36
#define DT_FLOAT8_E8M0 37
#define DT_FLOAT6_E3M2 38
#define DT_FLOAT6_E2M3 39
#define DT_FLOAT4_E2M1 40
#define DT_FLOAT4_E1M2 41

#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_HWCN 16
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_DHWCN 31
#define FORMAT_NDC1HWC0 32
#define FORMAT_FRACTAL_Z_3D 33
#define FORMAT_NCL 47
#endif
#endif  // ASCENDC_KERNEL_MACROS_H
