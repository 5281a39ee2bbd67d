// Arrays of a function that a kernel calls lie beside the kernel's own, not in their place.
// launch: blocks=1
// expect: clean
#include "c_api/asc_simd.h"

__aicore__ inline void fill(float value) {
  __ubuf__ float own[64];
  asc_duplicate_sync(own, value, 64);
  for (int i = 0; i < 64; ++i) assert(own[i] == value);
  asc_sync();
}

__aicore__ inline void fill_twice() {
  __ubuf__ float before[64];
  asc_duplicate_sync(before, 5, 64);
  fill(2);
  for (int i = 0; i < 64; ++i) assert(before[i] == 5);
  asc_sync();
}

extern "C" __global__ __vector__ void kernel() {
  asc_init();
  __ubuf__ float a[64];
  asc_duplicate_sync(a, 1, 64);
  fill_twice();
  fill(3);
  for (int i = 0; i < 64; ++i) assert(a[i] == 1);
}
