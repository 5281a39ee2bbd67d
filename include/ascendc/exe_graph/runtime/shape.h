// gert::Shape: up to 25 dimensions, held in place.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_SHAPE_H
#define AKGEN_EXE_GRAPH_RUNTIME_SHAPE_H
#include "graph/types.h"

namespace gert {
class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  Shape() = default;
  Shape(const std::initializer_list<int64_t>& dims) { Assign(dims.begin(), dims.size()); }
  explicit Shape(const std::vector<int64_t>& dims) { Assign(dims.data(), dims.size()); }

  size_t GetDimNum() const { return dim_num_; }
  // Keeps at most kMaxDimNum; new dimensions keep what is stored there.
  void SetDimNum(size_t dim_num) { dim_num_ = dim_num < kMaxDimNum ? dim_num : kMaxDimNum; }
  int64_t GetDim(size_t index) const {
    return index < kMaxDimNum ? dims_[index] : kInvalidDimValue;
  }
  void SetDim(size_t index, int64_t value) {
    if (index < kMaxDimNum) dims_[index] = value;
  }
  Shape& AppendDim(int64_t value) {
    if (dim_num_ < kMaxDimNum) dims_[dim_num_++] = value;
    return *this;
  }
  int64_t operator[](size_t index) const { return dims_[index]; }
  int64_t& operator[](size_t index) { return dims_[index]; }
  // Number of elements (1 for a scalar); -1 when a dimension is unknown or the product overflows.
  int64_t GetShapeSize() const;
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }
  bool operator==(const Shape& other) const {
    return dim_num_ == other.dim_num_ && std::equal(dims_, dims_ + dim_num_, other.dims_);
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }

 private:
  void Assign(const int64_t* dims, size_t count) {
    for (size_t i = 0; i < count; ++i) AppendDim(dims[i]);
  }
  size_t dim_num_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

// Elements from one place of a dimension to the next.
class Stride {
 public:
  Stride() = default;
  Stride(const std::initializer_list<int64_t>& strides) : strides_(strides) {}
  size_t GetDimNum() const { return strides_.GetDimNum(); }
  void SetDimNum(size_t dim_num) { strides_.SetDimNum(dim_num); }
  int64_t GetStride(size_t index) const { return strides_.GetDim(index); }
  void SetStride(size_t index, int64_t value) { strides_.SetDim(index, value); }
  Stride& AppendStride(int64_t value) {
    strides_.AppendDim(value);
    return *this;
  }
  int64_t operator[](size_t index) const { return strides_[index]; }
  int64_t& operator[](size_t index) { return strides_[index]; }
  bool operator==(const Stride& other) const { return strides_ == other.strides_; }
  bool operator!=(const Stride& other) const { return !(*this == other); }

 private:
  Shape strides_;
};

template <typename T>
class Range {
 public:
  Range() = default;
  Range(T* min, T* max) : min_(min), max_(max) {}
  const T* GetMin() const { return min_; }
  const T* GetMax() const { return max_; }
  T* GetMin() { return min_; }
  T* GetMax() { return max_; }
  void SetMin(T* min) { min_ = min; }
  void SetMax(T* max) { max_ = max; }

 private:
  T* min_ = nullptr;
  T* max_ = nullptr;
};
}  // namespace gert
#endif
