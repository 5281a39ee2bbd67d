// Names and sizes of ge::DataType and ge::Format.
#include "graph/utils/type_utils.h"

namespace ge {
namespace {

struct TypeRow {
  DataType type;
  const char* name;
  int bytes;  // -1: no whole number of bytes
};
constexpr TypeRow kTypes[] = {{DT_FLOAT, "DT_FLOAT", 4},
                              {DT_FLOAT16, "DT_FLOAT16", 2},
                              {DT_INT8, "DT_INT8", 1},
                              {DT_INT32, "DT_INT32", 4},
                              {DT_UINT8, "DT_UINT8", 1},
                              {DT_INT16, "DT_INT16", 2},
                              {DT_UINT16, "DT_UINT16", 2},
                              {DT_UINT32, "DT_UINT32", 4},
                              {DT_INT64, "DT_INT64", 8},
                              {DT_UINT64, "DT_UINT64", 8},
                              {DT_DOUBLE, "DT_DOUBLE", 8},
                              {DT_BOOL, "DT_BOOL", 1},
                              {DT_STRING, "DT_STRING", -1},
                              {DT_COMPLEX32, "DT_COMPLEX32", 4},
                              {DT_COMPLEX64, "DT_COMPLEX64", 8},
                              {DT_COMPLEX128, "DT_COMPLEX128", 16},
                              {DT_QINT8, "DT_QINT8", 1},
                              {DT_QINT16, "DT_QINT16", 2},
                              {DT_QINT32, "DT_QINT32", 4},
                              {DT_QUINT8, "DT_QUINT8", 1},
                              {DT_QUINT16, "DT_QUINT16", 2},
                              {DT_BF16, "DT_BF16", 2},
                              {DT_INT4, "DT_INT4", -1},
                              {DT_UINT1, "DT_UINT1", -1},
                              {DT_INT2, "DT_INT2", -1},
                              {DT_UINT2, "DT_UINT2", -1},
                              {DT_UNDEFINED, "DT_UNDEFINED", -1},
                              {DT_HIFLOAT8, "DT_HIFLOAT8", 1},
                              {DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2", 1},
                              {DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN", 1},
                              {DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0", 1}};

struct FormatRow {
  Format format;
  const char* name;
};
constexpr FormatRow kFormats[] = {{FORMAT_NCHW, "NCHW"},
                                  {FORMAT_NHWC, "NHWC"},
                                  {FORMAT_ND, "ND"},
                                  {FORMAT_NC1HWC0, "NC1HWC0"},
                                  {FORMAT_HWCN, "HWCN"},
                                  {FORMAT_NDHWC, "NDHWC"},
                                  {FORMAT_NCDHW, "NCDHW"},
                                  {FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
                                  {FORMAT_DHWCN, "DHWCN"},
                                  {FORMAT_NCL, "NCL"},
                                  {FORMAT_FRACTAL_Z, "FRACTAL_Z"},
                                  {FORMAT_NDC1HWC0, "NDC1HWC0"},
                                  {FORMAT_FRACTAL_Z_3D, "FRACTAL_Z_3D"}};

}  // namespace

int GetSizeByDataType(DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.bytes;
  }
  return -1;
}

int64_t GetSizeInBytes(int64_t count, DataType type) {
  int bytes = GetSizeByDataType(type);
  return bytes < 0 || count < 0 ? -1 : count * bytes;
}

bool TypeUtils::GetDataTypeLength(DataType type, uint32_t& length) {
  int bytes = GetSizeByDataType(type);
  if (bytes < 0) return false;
  length = static_cast<uint32_t>(bytes);
  return true;
}

std::string TypeUtils::DataTypeToSerialString(DataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.name;
  }
  return "UNDEFINED";
}

DataType TypeUtils::SerialStringToDataType(const std::string& name) {
  for (const TypeRow& row : kTypes) {
    if (name == row.name) return row.type;
  }
  return DT_UNDEFINED;
}

std::string TypeUtils::FormatToSerialString(Format format) {
  for (const FormatRow& row : kFormats) {
    if (row.format == GetPrimaryFormat(format)) return row.name;
  }
  return "RESERVED";
}

AscendString TypeUtils::DataTypeToAscendString(const DataType& type) {
  return AscendString(DataTypeToSerialString(type).c_str());
}
AscendString TypeUtils::FormatToAscendString(const Format& format) {
  return AscendString(FormatToSerialString(format).c_str());
}
bool TypeUtils::IsDataTypeValid(DataType type) {
  return type >= DT_FLOAT && type < DT_MAX && type != DT_UNDEFINED;
}

}  // namespace ge
