#ifndef AKGEN_REGISTER_REGISTER_TYPES_H
#define AKGEN_REGISTER_REGISTER_TYPES_H
#include "graph/types.h"
#endif
