// ge::TypeUtils: names and sizes of element types.
#ifndef AKGEN_GRAPH_UTILS_TYPE_UTILS_H
#define AKGEN_GRAPH_UTILS_TYPE_UTILS_H
#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {
class TypeUtils {
 public:
  // Bytes of one element into `length`; false for types without a size.
  static bool GetDataTypeLength(DataType data_type, uint32_t& length);
  // "DT_FLOAT16", "ND", …; "UNDEFINED" or "RESERVED" for numbers without a name.
  static std::string DataTypeToSerialString(DataType data_type);
  static DataType SerialStringToDataType(const std::string& name);
  static std::string FormatToSerialString(Format format);
  static AscendString DataTypeToAscendString(const DataType& data_type);
  static AscendString FormatToAscendString(const Format& format);
  static bool IsDataTypeValid(DataType data_type);
};
}  // namespace ge
#endif
