// LocalTensor and GlobalTensor: an address, a size, and scalar access that the simulator checks and
// orders. Sizes and offsets are in elements unless a name says otherwise. A tensor is a view;
// copying one copies no data.
#ifndef ASCENDC_KERNEL_TENSOR_H
#define ASCENDC_KERNEL_TENSOR_H
#include "kernel/types.h"

namespace AscendC {
struct ShapeInfo {
  __aicore__ ShapeInfo() {}
  __aicore__ ShapeInfo(const uint8_t dims, const uint32_t sizes[], const uint8_t originalDims,
                       const uint32_t originalSizes[], const DataFormat format)
      : shapeDim(dims), originalShapeDim(originalDims), dataFormat(format) {
    for (int i = 0; i < shapeDim && i < K_MAX_SHAPE_DIM; ++i) shape[i] = sizes[i];
    for (int i = 0; i < originalShapeDim && i < K_MAX_SHAPE_DIM; ++i)
      originalShape[i] = originalSizes[i];
  }
  __aicore__ ShapeInfo(const uint8_t dims, const uint32_t sizes[], const DataFormat format)
      : ShapeInfo(dims, sizes, dims, sizes, format) {}
  __aicore__ ShapeInfo(const uint8_t dims, const uint32_t sizes[])
      : ShapeInfo(dims, sizes, DataFormat::ND) {}
  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_SHAPE_DIM] = {};
  uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;
};
inline const ShapeInfo& AkgenKnown(const ShapeInfo& info) {
  if (info.shapeDim == 0)
    akgen_broken_rule("GetShapeInfo: SetShapeInfo first gives the tensor a shape");
  return info;
}

__aicore__ inline uint64_t GetShapeSize(const ShapeInfo& info) {
  uint64_t size = 1;
  for (int i = 0; i < info.shapeDim; ++i) size *= info.shape[i];
  return size;
}

// Scalar load and store of one element. The simulator is told first: it checks the range and waits
// for pending pipes.
template <uint32_t kind, typename T>
inline T AkgenLoad(const T* address, uint64_t index) {
  if constexpr (std::is_same_v<T, int4b_t>) {
    const uint8_t* byte = reinterpret_cast<const uint8_t*>(address) + index / 2;
    akgen_scalar_read(byte, 1, kind);
    return int4b_t(static_cast<int32_t>((index & 1) ? *byte >> 4 : *byte & 0xf));
  } else {
    akgen_scalar_read(address + index, sizeof(T), kind);
    return address[index];
  }
}

template <uint32_t kind, typename T>
inline void AkgenStore(T* address, uint64_t index, T value) {
  if constexpr (std::is_same_v<T, int4b_t>) {
    uint8_t* byte = reinterpret_cast<uint8_t*>(address) + index / 2;
    akgen_scalar_write(byte, 1, kind);
    *byte = (index & 1) ? static_cast<uint8_t>((*byte & 0x0f) | (value.storage << 4))
                        : static_cast<uint8_t>((*byte & 0xf0) | (value.storage & 0x0f));
  } else {
    akgen_scalar_write(address + index, sizeof(T), kind);
    address[index] = value;
  }
}

// What operator() of a tensor returns: with a plain reference the simulator could not distinguish a
// load from a store.
template <uint32_t kind, typename T>
class AkgenElement {
 public:
  AkgenElement(T* address, uint64_t index) : address_(address), index_(index) {}
  AkgenElement(const AkgenElement&) = default;
  operator T() const { return AkgenLoad<kind>(address_, index_); }
  const AkgenElement& operator=(T value) const {
    return AkgenStore<kind>(address_, index_, value), *this;
  }
  const AkgenElement& operator=(const AkgenElement& other) const {
    return *this = static_cast<T>(other);
  }
  AkgenElement& operator=(const AkgenElement& other) {
    AkgenStore<kind>(address_, index_, static_cast<T>(other));
    return *this;
  }
  const AkgenElement& operator+=(T value) const {
    return *this = static_cast<T>(static_cast<T>(*this) + value);
  }
  const AkgenElement& operator-=(T value) const {
    return *this = static_cast<T>(static_cast<T>(*this) - value);
  }
  const AkgenElement& operator*=(T value) const {
    return *this = static_cast<T>(static_cast<T>(*this) * value);
  }
  const AkgenElement& operator/=(T value) const {
    return *this = static_cast<T>(static_cast<T>(*this) / value);
  }

 private:
  T* address_;
  uint64_t index_;
};

// dst = a + b and its kin: nothing happens until it is assigned to a tensor, whose size is the
// element count.
template <typename T>
struct AkgenTensorExpr {
  uint16_t op;   // AkgenVecOp
  uint8_t mode;  // CMPMODE of a comparison
  __ubuf__ T* src0;
  __ubuf__ T* src1;
};
template <typename T>
struct AkgenCompareExpr : AkgenTensorExpr<T> {};

// Where a tensor is: its bytes, its address, and the position of its buffer.
struct TBuffAddr {
  uint32_t dataLen = 0;
  uint64_t bufferAddr = 0;
  uint8_t* bufferHandle = nullptr;
  uint8_t logicPos = static_cast<uint8_t>(TPosition::MAX);
};

template <typename T>
class LocalTensor {
  static_assert(AkgenDtypeOf<T>::value != AKGEN_NO_DTYPE,
                "Ascend C: LocalTensor needs an element type of the device");

 public:
  using PrimType = PrimT<T>;
  __aicore__ LocalTensor() {}
  // Static tensor: tile elements at byte addr of the memory that pos lies in.
  __aicore__ LocalTensor(TPosition pos, uint32_t addr, uint32_t tile)
      : LocalTensor(akgen_static_tensor(static_cast<uint32_t>(pos), addr,
                                        static_cast<uint32_t>(AkgenBytes<T>(tile))),
                    static_cast<uint32_t>(AkgenBytes<T>(tile)), pos) {}
  // For this library: a view of bytes at address.
  __aicore__ LocalTensor(void* address, uint32_t bytes, TPosition pos)
      : address_{bytes, reinterpret_cast<uint64_t>(address), nullptr, static_cast<uint8_t>(pos)} {}

  __aicore__ uint64_t GetPhyAddr() const { return address_.bufferAddr; }
  __aicore__ uint64_t GetPhyAddr(const uint32_t offset) const {
    return reinterpret_cast<uint64_t>(At(offset));
  }
  // For this library, which gives it to an instruction.
  __aicore__ __ubuf__ PrimType* AkgenPtr() const {
    if (slice_ == AKGEN_SLICE_FOREIGN) akgen_slice_used(Start());
    return Start();
  }
  // For this library: the tensor is the slice of another one from `offset` bytes behind its address
  // on.
  __aicore__ void AkgenSliceOf(const void* address, uint64_t offset, uint64_t bytes,
                               uint8_t of = AKGEN_SLICE_INSIDE) {
    if (offset >= bytes || of != AKGEN_SLICE_INSIDE)
      slice_ = static_cast<uint8_t>(akgen_slice(address, offset, of));
  }
  __aicore__ void AkgenTakeSlice(uint8_t slice) { slice_ = slice; }
  __aicore__ PrimType GetValue(const uint32_t index) const {
    Reach(index);
    return AkgenLoad<AKGEN_SCALAR_LOCAL_TENSOR>(Start(), index);
  }
  template <typename S>
  __aicore__ void SetValue(const uint32_t index, const S value) const {
    Reach(index);
    AkgenStore<AKGEN_SCALAR_LOCAL_TENSOR>(Start(), index, static_cast<PrimType>(value));
  }
  __aicore__ AkgenElement<AKGEN_SCALAR_LOCAL_TENSOR, PrimType> operator()(
      const uint32_t offset) const {
    Reach(offset);
    return {Start(), offset};
  }
  __aicore__ LocalTensor operator[](const uint32_t offset) const {
    const uint64_t at = AkgenBytes<T>(offset);
    LocalTensor result = *this;
    result.address_.bufferAddr += at;
    result.address_.dataLen -= static_cast<uint32_t>(at);
    result.AkgenSliceOf(Start(), at, address_.dataLen, slice_);
    return result;
  }
  template <typename U>
  __aicore__ LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> result(Start(), address_.dataLen, static_cast<TPosition>(address_.logicPos));
    result.SetUserTag(tag_);
    result.AkgenTakeSlice(slice_);
    return result;
  }
  template <typename S>
  __aicore__ void SetAddrWithOffset(LocalTensor<S>& src, uint32_t offset) {
    *this = src.template ReinterpretCast<T>();
    const PrimType* whole = Start();
    address_.bufferAddr += AkgenBytes<T>(offset);
    AkgenSliceOf(whole, AkgenBytes<T>(offset), address_.dataLen, slice_);
  }
  // At the place of another tensor, or at a number of bytes from the start of the memory.
  __aicore__ void SetAddr(const TBuffAddr& addr) {
    constexpr uint64_t kLargestMemory = 1u << 20;
    address_ = addr;
    if (addr.bufferAddr < kLargestMemory)
      address_.bufferAddr = reinterpret_cast<uint64_t>(
          akgen_static_tensor(addr.logicPos, static_cast<uint32_t>(addr.bufferAddr), addr.dataLen));
    slice_ = AKGEN_SLICE_INSIDE;
  }
  __aicore__ int32_t GetPosition() const { return static_cast<int32_t>(address_.logicPos); }
  __aicore__ void SetSize(const uint32_t size) {
    address_.dataLen = static_cast<uint32_t>(AkgenBytes<T>(size));
  }
  __aicore__ uint32_t GetSize() const { return address_.dataLen * 8 / SizeOfBits<T>::value; }
  __aicore__ uint32_t GetLength() const { return address_.dataLen; }
  __aicore__ void SetBufferLen(uint32_t bytes) { address_.dataLen = bytes; }
  __aicore__ void SetUserTag(const TTagType tag) { tag_ = tag; }
  __aicore__ TTagType GetUserTag() const { return tag_; }
  __aicore__ void SetShapeInfo(const ShapeInfo& info) { shapeInfo_ = info; }
  __aicore__ ShapeInfo GetShapeInfo() const { return AkgenKnown(shapeInfo_); }

  __aicore__ AkgenTensorExpr<PrimType> operator+(const LocalTensor& b) const {
    return Arithmetic(AKGEN_OP_Add, b);
  }
  __aicore__ AkgenTensorExpr<PrimType> operator-(const LocalTensor& b) const {
    return Arithmetic(AKGEN_OP_Sub, b);
  }
  __aicore__ AkgenTensorExpr<PrimType> operator*(const LocalTensor& b) const {
    return Arithmetic(AKGEN_OP_Mul, b);
  }
  __aicore__ AkgenTensorExpr<PrimType> operator/(const LocalTensor& b) const {
    static_assert(SupportType<T, half, float>(),
                  "Ascend C: operator/ on tensors needs half or float");
    return {AKGEN_OP_Div, 0, AkgenPtr(), b.AkgenPtr()};
  }
  __aicore__ AkgenTensorExpr<PrimType> operator|(const LocalTensor& b) const {
    return Bitwise(AKGEN_OP_Or, b);
  }
  __aicore__ AkgenTensorExpr<PrimType> operator&(const LocalTensor& b) const {
    return Bitwise(AKGEN_OP_And, b);
  }
  __aicore__ AkgenCompareExpr<PrimType> operator<(const LocalTensor& b) const {
    return Comparison(CMPMODE::LT, b);
  }
  __aicore__ AkgenCompareExpr<PrimType> operator>(const LocalTensor& b) const {
    return Comparison(CMPMODE::GT, b);
  }
  __aicore__ AkgenCompareExpr<PrimType> operator==(const LocalTensor& b) const {
    return Comparison(CMPMODE::EQ, b);
  }
  __aicore__ AkgenCompareExpr<PrimType> operator<=(const LocalTensor& b) const {
    return Comparison(CMPMODE::LE, b);
  }
  __aicore__ AkgenCompareExpr<PrimType> operator>=(const LocalTensor& b) const {
    return Comparison(CMPMODE::GE, b);
  }
  __aicore__ AkgenCompareExpr<PrimType> operator!=(const LocalTensor& b) const {
    return Comparison(CMPMODE::NE, b);
  }

  __aicore__ void operator=(const AkgenTensorExpr<PrimType>& expr) const {
    Run(expr, AkgenDtypeOf<T>::value, GetSize());
  }
  template <typename U>
  __aicore__ void operator=(const AkgenCompareExpr<U>& expr) const {
    static_assert(SupportType<T, int8_t, uint8_t>(),
                  "Ascend C: a comparison of tensors is assigned to int8_t or uint8_t");
    Run(expr, AkgenDtypeOf<T>::value, GetSize() * 8);  // one bit per element
  }

 private:
  PrimType* Start() const { return reinterpret_cast<PrimType*>(address_.bufferAddr); }
  PrimType* At(uint64_t offset) const {
    return reinterpret_cast<PrimType*>(address_.bufferAddr + AkgenBytes<T>(offset));
  }
  // The scalar unit is about to access this element.
  void Reach(uint64_t index) const {
    const uint64_t at = AkgenBytes<T>(index);
    if ((at >= address_.dataLen || slice_ != AKGEN_SLICE_INSIDE) &&
        akgen_slice(Start(), at, slice_) == AKGEN_SLICE_FOREIGN)
      akgen_slice_used(At(index));
  }
  AkgenTensorExpr<PrimType> Arithmetic(uint16_t op, const LocalTensor& b) const {
    static_assert(SupportType<T, half, float, int16_t, int32_t>(),
                  "Ascend C: + - * on tensors need half, float, int16_t or int32_t");
    return {op, 0, AkgenPtr(), b.AkgenPtr()};
  }
  AkgenTensorExpr<PrimType> Bitwise(uint16_t op, const LocalTensor& b) const {
    static_assert(SupportType<T, int16_t, uint16_t>(),
                  "Ascend C: | and & on tensors need int16_t or uint16_t");
    return {op, 0, AkgenPtr(), b.AkgenPtr()};
  }
  AkgenCompareExpr<PrimType> Comparison(CMPMODE mode, const LocalTensor& b) const {
    static_assert(SupportType<T, half, float>(),
                  "Ascend C: comparisons of tensors need half or float");
    return {{AKGEN_OP_Compare, static_cast<uint8_t>(mode), AkgenPtr(), b.AkgenPtr()}};
  }
  template <typename U>
  void Run(const AkgenTensorExpr<U>& expr, uint8_t dst_type, uint32_t count) const {
    AkgenVec instr = {};
    instr.op = expr.op;
    instr.form = AKGEN_FORM_COUNT;
    instr.set_mask = 1;
    instr.dst_type = dst_type;
    instr.src_type = instr.src1_type = AkgenDtypeOf<U>::value;
    instr.mode = expr.mode;
    instr.dst_blk = instr.src0_blk = instr.src1_blk = DEFAULT_BLK_STRIDE;
    instr.dst_rep = instr.src0_rep = instr.src1_rep = DEFAULT_REPEAT_STRIDE;
    instr.count = count;
    instr.dst = AkgenPtr();
    instr.src0 = expr.src0;
    instr.src1 = expr.src1;
    akgen_vec(&instr);
  }

  uint8_t slice_ = AKGEN_SLICE_INSIDE;
  TTagType tag_ = 0;

 public:
  TBuffAddr address_;
  ShapeInfo shapeInfo_;
};

template <typename T>
class GlobalTensor {
  static_assert(AkgenDtypeOf<T>::value != AKGEN_NO_DTYPE,
                "Ascend C: GlobalTensor needs an element type of the device");

 public:
  using PrimType = PrimT<T>;
  __aicore__ GlobalTensor() {}
  __aicore__ void SetGlobalBuffer(__gm__ PrimType* buffer, uint64_t bufferSize) {
    address_ = buffer;
    bufferSize_ = bufferSize;
  }
  __aicore__ void SetGlobalBuffer(__gm__ PrimType* buffer) { address_ = buffer; }
  __aicore__ const __gm__ PrimType* GetPhyAddr() const { return address_; }
  __aicore__ __gm__ PrimType* GetPhyAddr(const uint64_t offset) const { return At(offset); }
  __aicore__ __gm__ PrimType* AkgenPtr() const { return address_; }  // for this library
  __aicore__ PrimType GetValue(const uint64_t offset) const {
    return AkgenLoad<AKGEN_SCALAR_GLOBAL_TENSOR>(address_, offset);
  }
  __aicore__ void SetValue(const uint64_t offset, PrimType value) {
    AkgenStore<AKGEN_SCALAR_GLOBAL_TENSOR>(address_, offset, value);
  }
  __aicore__ AkgenElement<AKGEN_SCALAR_GLOBAL_TENSOR, PrimType> operator()(
      const uint64_t offset) const {
    return {address_, offset};
  }
  __aicore__ uint64_t GetSize() const { return bufferSize_; }
  __aicore__ GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor result = *this;
    result.address_ = At(offset);
    return result;
  }
  __aicore__ void SetShapeInfo(const ShapeInfo& info) { shapeInfo_ = info; }
  __aicore__ ShapeInfo GetShapeInfo() const { return AkgenKnown(shapeInfo_); }
  // A hint changes no result; it is kept for the cost model's sake only.
  template <CacheRwMode rwMode = CacheRwMode::RW>
  __aicore__ void SetL2CacheHint(CacheMode mode) {
    cacheMode_ = mode;
  }

 private:
  PrimType* At(uint64_t offset) const {
    return reinterpret_cast<PrimType*>(reinterpret_cast<uint8_t*>(address_) +
                                       AkgenBytes<T>(offset));
  }
  __gm__ PrimType* address_ = nullptr;

 public:
  uint64_t bufferSize_ = 0;
  ShapeInfo shapeInfo_;
  CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;
};

// The position of tensors in a memory that are given none.
constexpr TPosition AkgenPositionIn(Hardware hard) {
  switch (hard) {
    case Hardware::L1: return TPosition::A1;
    case Hardware::L0A: return TPosition::A2;
    case Hardware::L0B: return TPosition::B2;
    case Hardware::L0C: return TPosition::CO1;
    case Hardware::BIAS: return TPosition::C2;
    case Hardware::FIXBUF: return TPosition::C2PIPE2GM;
    default: return TPosition::VECIN;
  }
}

// Hands out static tensors one after the other from the start of a memory; nothing is given back.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
 public:
  __aicore__ LocalMemAllocator() {}
  __aicore__ uint32_t GetCurAddr() const { return head_; }
  template <TPosition pos, class DataType, uint32_t tileSize>
  __aicore__ LocalTensor<DataType> Alloc() {
    return Take<DataType>(pos, tileSize);
  }
  template <TPosition pos, class DataType>
  __aicore__ LocalTensor<DataType> Alloc(uint32_t tileSize) {
    return Take<DataType>(pos, tileSize);
  }
  template <class DataType, uint32_t tileSize>
  __aicore__ LocalTensor<DataType> Alloc() {
    return Take<DataType>(AkgenPositionIn(hard), tileSize);
  }
  template <class DataType>
  __aicore__ LocalTensor<DataType> Alloc(uint32_t tileSize) {
    return Take<DataType>(AkgenPositionIn(hard), tileSize);
  }

 private:
  template <class DataType>
  LocalTensor<DataType> Take(TPosition pos, uint32_t elements) {
    LocalTensor<DataType> result(pos, head_, elements);
    head_ += AlignUp(static_cast<uint32_t>(AkgenBytes<DataType>(elements)), ONE_BLK_SIZE);
    return result;
  }
  uint32_t head_ = 0;
};
}  // namespace AscendC
#endif  // ASCENDC_KERNEL_TENSOR_H
