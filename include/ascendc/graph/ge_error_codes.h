// Return codes of host functions. 0 is success.
#ifndef AKGEN_GRAPH_GE_ERROR_CODES_H
#define AKGEN_GRAPH_GE_ERROR_CODES_H
#include <cstdint>

namespace ge {
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;
constexpr graphStatus FAILED = 0xFFFFFFFF;
constexpr graphStatus GRAPH_NOT_CHANGED = 1343242304;
constexpr graphStatus GRAPH_NODE_WITHOUT_CONST_INPUT = 50331648;
constexpr graphStatus GRAPH_PARAM_INVALID =
    50331649;  // "not mine": the next tiling template is tried
constexpr graphStatus GRAPH_NODE_NEED_REPASS = 50331647;
constexpr graphStatus GRAPH_INVALID_IR_DEF = 50331646;
constexpr graphStatus OP_WITHOUT_IR_DATATYPE_INFER_RULE = 50331645;
constexpr graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644;
constexpr graphStatus GRAPH_MEM_OPERATE_FAILED = 50331643;
constexpr graphStatus GRAPH_NULL_PTR = 50331642;
constexpr graphStatus GRAPH_MEMCPY_FAILED = 50331641;
constexpr graphStatus GRAPH_MEMSET_FAILED = 50331640;
constexpr graphStatus GRAPH_MATH_CAL_FAILED = 50331639;
constexpr graphStatus GRAPH_ADD_OVERFLOW = 50331638;
constexpr graphStatus GRAPH_MUL_OVERFLOW = 50331637;
}  // namespace ge
#endif
