// Pieces of the kernels that stand for operators: shares of the work, copies of rows.
#pragma once
#include <cstdint>

#include "kernel_operator.h"

namespace akgen::calibration {
using namespace AscendC;

inline constexpr uint32_t kUb = 180 * 1024;
inline constexpr uint64_t kBetween = uint64_t{192} << 20;  // bytes between the tensors of a kernel

inline uint32_t UpTo(uint64_t n, uint32_t unit) { return uint32_t((n + unit - 1) / unit * unit); }

// This block's part of n pieces.
struct Part {
  uint64_t first, end;
  explicit Part(uint64_t n)
      : first(n * GetBlockIdx() / GetBlockNum()), end(n * (GetBlockIdx() + 1) / GetBlockNum()) {}
};

// Rows of bytes between GM and UB, padded to 32 bytes in UB.
template <typename T>
void In(const LocalTensor<T>& to, const uint8_t* from, uint32_t rows, uint32_t n) {
  GlobalTensor<T> gm;
  gm.SetGlobalBuffer(reinterpret_cast<T*>(const_cast<uint8_t*>(from)));
  const DataCopyExtParams p{uint16_t(rows), uint32_t(n * sizeof(T)), 0, 0, 0};
  DataCopyPad(to, gm, p, DataCopyPadExtParams<T>{false, 0, 0, T(0)});
}
template <typename T>
void Out(uint8_t* to, const LocalTensor<T>& from, uint32_t rows, uint32_t n) {
  GlobalTensor<T> gm;
  gm.SetGlobalBuffer(reinterpret_cast<T*>(to));
  const DataCopyExtParams p{uint16_t(rows), uint32_t(n * sizeof(T)), 0, 0, 0};
  DataCopyPad(gm, from, p);
}

}  // namespace akgen::calibration
