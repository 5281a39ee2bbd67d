#include "lm/model/blas.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>

namespace akgen::lm {
namespace {
using SgemmFn = void (*)(const char*, const char*, const int*, const int*, const int*, const float*,
                         const float*, const int*, const float*, const int*, const float*, float*,
                         const int*);

// Debian's libtorch loads libblas, PyTorch's carries MKL: both export the Fortran symbol to the
// process.
SgemmFn Sgemm() {
  static const SgemmFn fn = reinterpret_cast<SgemmFn>(::dlsym(RTLD_DEFAULT, "sgemm_"));
  return fn;
}

at::Tensor Wrap(const float* p, int64_t rows, int64_t columns, int64_t stride) {
  return at::from_blob(const_cast<float*>(p), {rows, columns}, {stride, 1}, at::kFloat);
}
}  // namespace

void Gemm(bool ta, bool tb, int64_t m, int64_t n, int64_t k, float alpha, const float* a,
          int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc) {
  if (SgemmFn sgemm = Sgemm()) {  // column-major: the transposed product of swapped operands
    int im = int(m), in = int(n), ik = int(k), ia = int(lda), ib = int(ldb), ic = int(ldc);
    sgemm(tb ? "T" : "N", ta ? "T" : "N", &in, &im, &ik, &alpha, b, &ib, a, &ia, &beta, c, &ic);
    return;
  }
  c10::NoGradGuard no_grad;
  at::Tensor x = Wrap(a, ta ? k : m, ta ? m : k, lda), y = Wrap(b, tb ? n : k, tb ? k : n, ldb),
             z = Wrap(c, m, n, ldc);
  at::Tensor product = at::mm(ta ? x.t() : x, tb ? y.t() : y).mul_(alpha);
  beta == 0 ? z.copy_(product) : z.mul_(beta).add_(product);
}

void SetBlasThreads(int threads) {
  if (auto* set =
          reinterpret_cast<void (*)(int)>(::dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(threads);
}

}  // namespace akgen::lm
