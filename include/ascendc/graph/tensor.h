// ge::Shape and ge::TensorDesc: what graph-side checks and the library tiling functions take.
#ifndef AKGEN_GRAPH_TENSOR_H
#define AKGEN_GRAPH_TENSOR_H
#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {
class Shape {
 public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
  size_t GetDimNum() const { return dims_.size(); }
  // 0 for an index past the last dimension.
  int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
  graphStatus SetDim(size_t index, int64_t value) {
    if (index >= dims_.size()) return GRAPH_FAILED;
    dims_[index] = value;
    return GRAPH_SUCCESS;
  }
  std::vector<int64_t> GetDims() const { return dims_; }
  // Number of elements; -1 when a dimension is unknown (negative); 0 for a shape without
  // dimensions.
  int64_t GetShapeSize() const {
    if (dims_.empty()) return 0;
    int64_t size = 1;
    for (int64_t dim : dims_) {
      if (dim < 0) return -1;
      size *= dim;
    }
    return size;
  }

 private:
  std::vector<int64_t> dims_;
};

class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(Shape shape, Format format = FORMAT_ND, DataType type = DT_FLOAT)
      : shape_(std::move(shape)), format_(format), type_(type) {}
  Shape GetShape() const { return shape_; }
  void SetShape(const Shape& shape) { shape_ = shape; }
  Shape GetOriginShape() const { return shape_; }
  Format GetFormat() const { return format_; }
  Format GetOriginFormat() const { return format_; }
  void SetFormat(Format format) { format_ = format; }
  DataType GetDataType() const { return type_; }
  void SetDataType(DataType type) { type_ = type; }

 private:
  Shape shape_;
  Format format_ = FORMAT_ND;
  DataType type_ = DT_FLOAT;
};
}  // namespace ge
#endif
