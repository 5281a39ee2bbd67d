// expect: no member named 'KERNEL_TYPE_NONE'
#include "kernel_operator.h"
void Kernel() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_NONE); }
