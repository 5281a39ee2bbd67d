// Element types. The numbers are those of ge::DataType, the same as AkgenDtype in
// include/ascendc/akgen/abi.h.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace akgen::base {

enum class Dtype : uint8_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 6,
  kUint16 = 7,
  kUint32 = 8,
  kInt64 = 9,
  kUint64 = 10,
  kFloat64 = 11,
  kBool = 12,
  kComplex64 = 16,
  kBfloat16 = 27
};

// Bytes of one element.
int SizeOf(Dtype dtype);
// "float16", "bfloat16", "float32", "int32", … (PyTorch's spelling).
std::string_view NameOf(Dtype dtype);
// Accepts NameOf's spelling and the aliases "float", "half", "double", "long", "int".
std::optional<Dtype> DtypeFromName(std::string_view name);
bool IsFloating(Dtype dtype);  // float16, bfloat16, float32, float64

// IEEE half and bfloat16, round to nearest even, NaN kept quiet.
float HalfToFloat(uint16_t bits);
uint16_t FloatToHalf(float value);
uint16_t DoubleToHalf(double value);  // one rounding
float Bf16ToFloat(uint16_t bits);
uint16_t FloatToBf16(float value);
uint16_t DoubleToBf16(double value);  // one rounding

}  // namespace akgen::base
