// Functions with arrays of their own, one of them a template, called twice and from each other, beside the kernel's.
// launch: blocks=1 args=in:f32[64],out:f32[192]
// expect: clean
#include "c_api/asc_simd.h"

struct Pair {
  float first[64];
  float second[64];
};

template <int factor>
__aicore__ inline void Scale(__ubuf__ float *to, __ubuf__ float *from) {
  __ubuf__ float by[64];
  asc_duplicate_sync(by, float(factor), 64);
  asc_mul_sync(to, from, by, 64);
}

__aicore__ inline void Both(__ubuf__ float *to, __ubuf__ float *from) {
  __ubuf__ Pair pair{};
  Scale<2>(pair.first, from);
  Scale<3>(pair.second, from);
  asc_add_sync(to, pair.first, pair.second, 64);
}

extern "C" __global__ __vector__ void kernel(__gm__ float *x, __gm__ float *y) {
  asc_init();
  __ubuf__ float a[64];
  __ubuf__ float results[192];
  __ubuf__ float *rows[3] = {results, results + 64, results + 128};
  asc_copy_gm2ub_sync(a, x, sizeof(a));
  Both(rows[0], a);
  Scale<5>(rows[1], a);
  Both(rows[2], a);
  asc_sync();
  for (int i = 0; i < 64; ++i) {
    assert(results[i] == a[i] * 2 + a[i] * 3);
    assert(results[i + 64] == a[i] * 5);
    assert(results[i + 128] == results[i]);
  }
  asc_copy_ub2gm_sync(y, results, sizeof(results));
}
