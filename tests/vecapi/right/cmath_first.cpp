// The same the other way round.
#include <cmath>
#include <math.h>
#include <algorithm>
#include "kernel_operator.h"
float Scalars(float x, double d) { return sqrt(x) + float(sqrt(d)) + sqrt(x * 2.0f); }
