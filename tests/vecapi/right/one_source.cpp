// Kernel and host code in one source, as direct-launch programs have it.
#include "kernel_operator.h"
#include "graph/types.h"
static_assert(ge::DT_FLOAT16 == 1 && ge::FORMAT_ND == 2, "enumerators, not macros");
