// gert::TilingData: the raw buffer a tiling function fills. Sizes are bytes.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_TILING_DATA_H
#define AKGEN_EXE_GRAPH_RUNTIME_TILING_DATA_H
#include "graph/types.h"

namespace gert {
class TilingData {
 public:
  TilingData(void* data, size_t capacity)
      : data_(static_cast<uint8_t*>(data)), capacity_(capacity) {}
  void* GetData() { return data_; }
  const void* GetData() const { return data_; }
  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return size_; }
  // A size above the capacity is kept, and fails the call afterwards.
  void SetDataSize(size_t size) { size_ = size; }
  ge::graphStatus Append(const void* data, size_t bytes) {
    if (size_ > capacity_ || bytes > capacity_ - size_) return ge::GRAPH_FAILED;
    std::memcpy(data_ + size_, data, bytes);
    size_ += bytes;
    return ge::GRAPH_SUCCESS;
  }
  template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
  ge::graphStatus Append(const T& value) {
    return Append(&value, sizeof(T));
  }
  template <typename T>
  ge::graphStatus Append(const T* values, size_t count) {
    return Append(static_cast<const void*>(values), count * sizeof(T));
  }
  // Makes room at the end; nullptr when it does not fit.
  void* Expand(size_t bytes) {
    if (size_ > capacity_ || bytes > capacity_ - size_) return nullptr;
    size_ += bytes;
    return data_ + size_ - bytes;
  }

 private:
  uint8_t* data_;
  size_t capacity_;
  size_t size_ = 0;
};

template <typename T>
TilingData& operator<<(TilingData& out, const T& value) {
  out.Append(value);
  return out;
}
}  // namespace gert
#endif
