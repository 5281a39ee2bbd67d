// expect: Ascend C: LocalTensor needs an element type of the device
#include "kernel_operator.h"
struct Pair {
  float a, b;
};
void Kernel() { AscendC::LocalTensor<Pair> tensor; }
