// Two operations that are not the same: the comparison of the cases beside this one finds it.
// launch: blocks=1 args=in:f32[256]
// expect: AK1701
#include "same.h"

extern "C" __global__ __vector__ void kernel(__gm__ float *x) {
  OPERANDS(x);
  BINARY(float, asc_add, Sub, f, g);
}
