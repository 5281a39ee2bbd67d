// The C++ library's mathematics after the kernel headers, and a kernel with the name of one of its functions.
#include "kernel_operator.h"
#include <cmath>
#include <math.h>
#include <vector>

extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y) {}

float Scalars(float x, double d, int32_t i) {
  float a = sqrt(x);
  double b = std::sqrt(d);
  return a + float(b) + float(max(i, i)) + float(std::max(i, i)) + min(x, a);
}
