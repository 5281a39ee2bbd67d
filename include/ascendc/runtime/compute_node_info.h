#ifndef AKGEN_RUNTIME_COMPUTE_NODE_INFO_H
#define AKGEN_RUNTIME_COMPUTE_NODE_INFO_H
#include "exe_graph/runtime/compute_node_info.h"
#endif
