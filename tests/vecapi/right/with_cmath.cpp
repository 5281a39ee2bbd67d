// The mathematics of the C++ library after the kernel headers.
#include "kernel_operator.h"
#include <cmath>
#include <math.h>
#include <vector>

float Scalars(float x, double d, int32_t i) {
  float a = sqrt(x);
  double b = std::sqrt(d);
  return a + float(b) + float(max(i, i)) + float(std::max(i, i)) + min(x, a);
}
