#ifndef AKGEN_REGISTER_REGISTER_TYPES_H
#define AKGEN_REGISTER_REGISTER_TYPES_H
#include "graph/types.h"
// Who sees a symbol of a host library: everybody.
#define FMK_FUNC_HOST_VISIBILITY __attribute__((visibility("default")))
#define FMK_FUNC_DEV_VISIBILITY __attribute__((visibility("default")))
#endif
