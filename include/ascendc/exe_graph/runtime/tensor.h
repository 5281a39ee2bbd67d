// gert::Tensor: shape, format, type and, for inputs whose values the tiling depends on, the data
// (host memory).
#ifndef AKGEN_EXE_GRAPH_RUNTIME_TENSOR_H
#define AKGEN_EXE_GRAPH_RUNTIME_TENSOR_H
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"

namespace gert {
enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };

class TensorPlacementUtils {
 public:
  static bool IsOnDeviceHbm(TensorPlacement p) { return p == kOnDeviceHbm; }
  static bool IsOnDeviceP2p(TensorPlacement p) { return p == kOnDeviceP2p; }
  static bool IsOnDevice(TensorPlacement p) { return IsOnDeviceHbm(p) || IsOnDeviceP2p(p); }
  static bool IsOnHost(TensorPlacement p) { return p == kOnHost || p == kFollowing; }
  static bool IsOnHostFollowing(TensorPlacement p) { return p == kFollowing; }
  static bool IsOnHostNotFollowing(TensorPlacement p) { return p == kOnHost; }
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type)
      : shape_(shape), format_(format), type_(type) {}
  const StorageShape& GetShape() const { return shape_; }
  StorageShape& GetShape() { return shape_; }
  const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
  const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
  Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
  Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }
  int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  ge::DataType GetDataType() const { return type_; }
  void SetDataType(ge::DataType type) { type_ = type; }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  // nullptr unless the values are known on the host.
  template <typename T>
  const T* GetData() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  T* GetData() {
    return static_cast<T*>(data_);
  }
  const void* GetAddr() const { return data_; }
  void* GetAddr() { return data_; }
  size_t GetSize() const { return size_; }  // bytes
  TensorPlacement GetPlacement() const { return data_ == nullptr ? kOnDeviceHbm : kOnHost; }
  void SetData(void* data, size_t bytes) {
    data_ = data;
    size_ = bytes;
  }

 private:
  StorageShape shape_;
  StorageFormat format_;
  ge::DataType type_ = ge::DT_UNDEFINED;
  void* data_ = nullptr;
  size_t size_ = 0;
};
}  // namespace gert
#endif
