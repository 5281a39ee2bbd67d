// expect: Ascend C: a scalar Cast from float to half needs CAST_ODD
#include "kernel_operator.h"
half Kernel(float x) { return AscendC::Cast<float, half, AscendC::RoundMode::CAST_RINT>(x); }
