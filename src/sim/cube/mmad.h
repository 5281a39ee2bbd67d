// The Cube unit's arithmetic: C = start + A * B on operands as they lie in L0A, L0B and L0C.
//
// float32 results: for each k0 elements of K (16 of half and bfloat16, 8 of float) a sum of
// products in float32, in ascending order, is added to C. No product and sum are fused, so that
// every processor gives the same bits.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/cube/gemm.h"

namespace akgen::sim::cube {

struct MmadShape {
  uint32_t m = 0, n = 0, k = 0;
  uint8_t type = 0;         // of A and B: AkgenDtype
  uint32_t k_fractals = 0;  // fractals that a row of fractals of A has
  bool hf32 = false, hf32_trunc = false;
  bool vector = false;  // m = 1: A is k elements in a row
};

// Byte offsets of elements.
uint64_t OffsetOfA(const MmadShape& s, uint32_t row, uint32_t k);  // of 4 bits: of the byte
uint64_t OffsetOfB(const MmadShape& s, uint32_t k, uint32_t column);
uint64_t OffsetOfC(uint32_t m, uint32_t row, uint32_t column);
// Bytes that the operands span.
uint64_t BytesOfA(const MmadShape& s);
uint64_t BytesOfB(const MmadShape& s);
uint64_t BytesOfC(uint32_t m, uint32_t n);

enum class Initial : uint8_t { kZero, kKeep, kBias };
// `bias`: n values of C's type. C's elements beyond m and n stay as they are.
void Multiply(const MmadShape& s, const uint8_t* a, const uint8_t* b, Initial start,
              const uint8_t* bias, uint8_t* c, Isa isa = BestIsa());

}  // namespace akgen::sim::cube
