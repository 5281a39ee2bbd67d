// Return codes of host functions. 0 is success.
#ifndef AKGEN_GRAPH_GE_ERROR_CODES_H
#define AKGEN_GRAPH_GE_ERROR_CODES_H
#include <cstdint>

namespace ge {
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304;
constexpr graphStatus GRAPH_NODE_WITHOUT_CONST_INPUT = 50331648;
constexpr graphStatus GRAPH_PARAM_INVALID = 50331649;  // "not mine": the next tiling template is tried
constexpr graphStatus GRAPH_NODE_NEED_REPASS = 50331647;
}  // namespace ge
#endif
