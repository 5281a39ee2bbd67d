#ifndef AKGEN_RUNTIME_RUNTIME_ATTRS_H
#define AKGEN_RUNTIME_RUNTIME_ATTRS_H
#include "exe_graph/runtime/runtime_attrs.h"
#endif
