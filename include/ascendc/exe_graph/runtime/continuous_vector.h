// gert::ContinuousVector: a header followed in memory by its elements. Lists of attributes come as
// this.
#ifndef AKGEN_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H
#define AKGEN_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H
#include "akgen/host_std.h"

namespace gert {
class ContinuousVector {
 public:
  // Only for whoever lays out the memory: `size` elements follow this header.
  explicit ContinuousVector(size_t size) : capacity_(size), size_(size) {}
  size_t GetSize() const { return size_; }
  size_t GetCapacity() const { return capacity_; }
  const void* GetData() const { return this + 1; }
  void* MutableData() { return this + 1; }

 private:
  size_t capacity_;
  size_t size_;
};

template <typename T>
class TypedContinuousVector : public ContinuousVector {
 public:
  using ContinuousVector::ContinuousVector;
  const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
  T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
};
}  // namespace gert
#endif
