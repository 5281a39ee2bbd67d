// Tensor lists: a descriptor in GM names a table of tensor addresses and, optionally, their shapes.
// Word 0 is the byte offset from the descriptor to the table of 64-bit addresses. From word 1 on
// each tensor has one word (low 32 bits: number of dimensions, high 32 bits: index or, in the
// first, the count) and a word per dimension.
#ifndef ASCENDC_KERNEL_LIST_TENSOR_H
#define ASCENDC_KERNEL_LIST_TENSOR_H
#include "kernel/tensor.h"

namespace AscendC {
class ListTensorDesc;

template <class T>
class TensorDesc {
 public:
  __aicore__ TensorDesc() {}
  __aicore__ void SetShapeAddr(uint64_t* shapePtr) { shape_ = shapePtr; }
  __aicore__ uint64_t GetDim() { return dim_; }
  __aicore__ uint64_t GetIndex() { return index_; }
  __aicore__ uint64_t GetShape(uint32_t offset) { return shape_[offset]; }
  __aicore__ __gm__ T* GetDataPtr() { return data_; }
  __aicore__ GlobalTensor<T> GetDataObj() {
    uint64_t size = 1;
    for (uint64_t i = 0; i < dim_; ++i) size *= shape_[i];
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_, size);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t dim_ = 0;
  uint64_t index_ = 0;
  uint64_t* shape_ = nullptr;
  __gm__ T* data_ = nullptr;
};

class ListTensorDesc {
 public:
  __aicore__ ListTensorDesc() {}
  __aicore__ ListTensorDesc(__gm__ void* data, uint32_t length = 0xffffffff,
                            uint32_t shapeSize = 0xffffffff) {
    Init(data, length, shapeSize);
  }
  __aicore__ void Init(__gm__ void* data, uint32_t length = 0xffffffff,
                       uint32_t shapeSize = 0xffffffff) {
    head_ = static_cast<__gm__ uint64_t*>(data);
    table_ = head_ + Word(head_) / sizeof(uint64_t);
    const uint64_t first = Word(head_ + 1);
    dims_ = static_cast<uint32_t>(first);
    stride_ = dims_ == 0 ? 2 : 1 + dims_;
    const uint32_t count = static_cast<uint32_t>(first >> 32);
    count_ = count != 0 ? count : static_cast<uint32_t>(Word(table_ - stride_) >> 32) + 1;
  }
  // SetShapeAddr must have given desc room for the shape.
  template <class T>
  __aicore__ void GetDesc(TensorDesc<T>& desc, uint32_t index) {
    if (desc.shape_ == nullptr)
      akgen_broken_rule("GetDesc: SetShapeAddr first gives an address for the shape");
    __gm__ uint64_t* entry = head_ + 1 + static_cast<uint64_t>(stride_) * index;
    desc.dim_ = dims_;
    desc.index_ = index;
    desc.data_ = GetDataPtr<T>(index);
    for (uint32_t i = 0; i < dims_ && desc.shape_ != nullptr; ++i)
      desc.shape_[i] = Word(entry + 1 + i);
  }
  template <class T>
  __aicore__ __gm__ T* GetDataPtr(uint32_t index) {
    return reinterpret_cast<__gm__ T*>(Word(table_ + index));
  }
  __aicore__ uint32_t GetSize() { return count_; }

 private:
  static uint64_t Word(const uint64_t* address) {
    akgen_scalar_read(address, sizeof(uint64_t), AKGEN_SCALAR_PLAIN);
    return *address;
  }
  __gm__ uint64_t* head_ = nullptr;
  __gm__ uint64_t* table_ = nullptr;
  uint32_t dims_ = 0;
  uint32_t stride_ = 0;
  uint32_t count_ = 0;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_LIST_TENSOR_H
