// Stand-ins for PyTorch's C++ headers, as far as code needs them that binds kernels to operators:
// types of elements, scalars, lists, options.
#ifndef AKGEN_AKGEN_TORCH_TYPES_H
#define AKGEN_AKGEN_TORCH_TYPES_H
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "acl/acl.h"
#include "opdev/bfloat16.h"
#include "opdev/fp16_t.h"

namespace c10 {
using Half = op::fp16_t;
using BFloat16 = op::bfloat16;
template <typename T>
using optional = std::optional<T>;
using std::nullopt;
using std::string_view;

#define AKGEN_TORCH_TYPES(X) \
  X(uint8_t, Byte, 0)        \
  X(int8_t, Char, 1)         \
  X(int16_t, Short, 2)       \
  X(int32_t, Int, 3)         \
  X(int64_t, Long, 4)        \
  X(Half, Half, 5)           \
  X(float, Float, 6) X(double, Double, 7) X(bool, Bool, 11) X(BFloat16, BFloat16, 15)
enum class ScalarType : int8_t {
#define AKGEN_X(type, name, number) name = number,
  AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X
      Undefined = 18
};
#define AKGEN_X(type, name, number) constexpr ScalarType k##name = ScalarType::name;
AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble, kInt8 = kChar,
                     kUInt8 = kByte, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong;
inline size_t elementSize(ScalarType type) {
  switch (type) {
#define AKGEN_X(of, name, number) \
  case ScalarType::name: return sizeof(of);
    AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X
    default: return 0;
  }
}
inline const char* toString(ScalarType type) {
  switch (type) {
#define AKGEN_X(of, name, number) \
  case ScalarType::name: return #name;
    AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X
    default: return "Undefined";
  }
}
inline std::ostream& operator<<(std::ostream& out, ScalarType type) {
  return out << toString(type);
}
inline bool isFloatingType(ScalarType t) {
  return t == kHalf || t == kFloat || t == kDouble || t == kBFloat16;
}
template <typename T>
struct CppTypeToScalarType;
#define AKGEN_X(of, name, number)                         \
  template <>                                             \
  struct CppTypeToScalarType<of> {                        \
    static constexpr ScalarType value = ScalarType::name; \
  };
AKGEN_TORCH_TYPES(AKGEN_X)
#undef AKGEN_X

// What `dtype()` answers: compared with a ScalarType.
struct TypeMeta {
  ScalarType type = ScalarType::Undefined;
  ScalarType toScalarType() const { return type; }
  operator ScalarType() const { return type; }
  size_t itemsize() const { return elementSize(type); }
  std::string_view name() const { return toString(type); }
};
inline ScalarType typeMetaToScalarType(TypeMeta meta) { return meta.type; }

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, Meta = 14, PrivateUse1 = 20 };
constexpr DeviceType kCPU = DeviceType::CPU, kMeta = DeviceType::Meta,
                     kPrivateUse1 = DeviceType::PrivateUse1;
using DeviceIndex = int8_t;
struct Device {
  Device(DeviceType type = kPrivateUse1, DeviceIndex index = 0) : type_(type), index_(index) {}
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return true; }
  bool is_cpu() const { return type_ == kCPU; }
  bool is_privateuseone() const { return type_ == kPrivateUse1; }
  bool operator==(const Device& o) const { return type_ == o.type_ && index_ == o.index_; }
  bool operator!=(const Device& o) const { return !(*this == o); }
  std::string str() const { return is_cpu() ? "cpu" : "npu:" + std::to_string(index_); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};
inline std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << device.str();
}

struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(TypeMeta meta) : type_(meta.type) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType device) : device_(device) {}
  TensorOptions dtype(ScalarType type) const { return With(type, device_); }
  TensorOptions device(Device device) const { return With(type_, device); }
  TensorOptions requires_grad(bool) const { return *this; }
  TypeMeta dtype() const { return {type_}; }
  Device device() const { return device_; }

 private:
  static TensorOptions With(ScalarType type, Device device) {
    TensorOptions out;
    out.type_ = type, out.device_ = device;
    return out;
  }
  ScalarType type_ = ScalarType::Float;
  Device device_;
};
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }

template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  ArrayRef() = default;
  ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  ArrayRef(const std::vector<T>& list) : data_(list.data()), size_(list.size()) {}
  ArrayRef(const std::initializer_list<T>& list) : data_(list.begin()), size_(list.size()) {}
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  bool operator==(const ArrayRef& o) const { return vec() == o.vec(); }
  bool operator!=(const ArrayRef& o) const { return !(*this == o); }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};
template <typename T>
std::ostream& operator<<(std::ostream& out, const ArrayRef<T>& list) {
  out << "[";
  for (size_t i = 0; i < list.size(); ++i) out << (i ? ", " : "") << list[i];
  return out << "]";
}
using IntArrayRef = ArrayRef<int64_t>;
template <typename T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
template <typename T>
using List = std::vector<T>;
template <typename T, size_t = 0>
using SmallVector = std::vector<T>;

class Scalar {
 public:
  Scalar() : value_(int64_t{0}) {}
  Scalar(bool v) : value_(v) {}
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Scalar(T v) : value_(Widest(v)) {}
  template <typename T>
  T to() const {
    return std::visit([](auto v) { return static_cast<T>(v); }, value_);
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
  bool isFloatingPoint() const { return std::holds_alternative<double>(value_); }
  bool isBoolean() const { return std::holds_alternative<bool>(value_); }
  bool isIntegral(bool with_bool = false) const {
    return !isFloatingPoint() && (with_bool || !isBoolean());
  }

 private:
  template <typename T>
  static std::variant<bool, int64_t, double> Widest(T v) {
    if constexpr (std::is_floating_point_v<T>)
      return double(v);
    else
      return int64_t(v);
  }
  std::variant<bool, int64_t, double> value_;
};

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  const char* what_without_backtrace() const { return what(); }
};
template <typename... Args>
std::string str(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}
// A check of the binding that does not hold: the call ends with an error, as in Python.
template <typename... Args>
[[noreturn]] void AkgenFail(const Args&... args) {
  std::fprintf(stderr, "RuntimeError: %s\n", str(args...).c_str());
  std::fflush(stderr);
  std::_Exit(1);
}
}  // namespace c10

#define TORCH_CHECK(condition, ...)                                                 \
  do {                                                                              \
    if (!(condition)) ::c10::AkgenFail("Expected " #condition ". ", ##__VA_ARGS__); \
  } while (0)
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define TORCH_CHECK_VALUE TORCH_CHECK
#define TORCH_CHECK_TYPE TORCH_CHECK
#define TORCH_CHECK_NOT_IMPLEMENTED TORCH_CHECK
#define AT_ASSERTM TORCH_CHECK
#define AT_ERROR(...) ::c10::AkgenFail(__VA_ARGS__)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define TORCH_WARN(...) std::fprintf(stderr, "Warning: %s\n", ::c10::str(__VA_ARGS__).c_str())
#define TORCH_WARN_ONCE TORCH_WARN
#define C10_THROW_ERROR(kind, message) ::c10::AkgenFail(message)

namespace at {
using namespace c10;
}  // namespace at
namespace torch {
using namespace c10;
using Dtype = c10::ScalarType;
}  // namespace torch
#endif
