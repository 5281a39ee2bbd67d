#ifndef AKGEN_RUNTIME_STORAGE_FORMAT_H
#define AKGEN_RUNTIME_STORAGE_FORMAT_H
#include "exe_graph/runtime/storage_format.h"
#endif
