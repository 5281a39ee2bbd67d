// The matrix product of the BLAS that libtorch itself uses, without a tensor around every operand.
// Row-major.
#pragma once
#include <cstdint>

namespace akgen::lm {

// c[m,n] = alpha * op(a) op(b) + beta * c, op(a) is [m,k], op(b) is [k,n]; lda, ldb, ldc are
// lengths of stored rows.
void Gemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, float alpha,
          const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c,
          int64_t ldc);

// Threads of one product from now on, where the BLAS can be told (OpenBLAS, MKL).
void SetBlasThreads(int threads);

}  // namespace akgen::lm
