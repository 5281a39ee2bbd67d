// The same with the host header first; kernel_operator.h must not define the names again.
#include "graph/types.h"
#include "kernel_operator.h"
static_assert(ge::DT_BF16 == 27 && ge::FORMAT_ND == 2, "enumerators, not macros");
