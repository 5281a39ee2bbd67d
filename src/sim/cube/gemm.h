// Blocked products of packed operands: the part of Mmad that takes the time.
//
// Operands are panels of 16 lines (rows of A, columns of B): for each k in ascending order the 16
// numbers side by side. C is what L0C holds: for each 16 columns all its rows, each of 16 numbers.
#pragma once
#include <cstddef>
#include <cstdint>

namespace akgen::sim::cube {

inline constexpr uint32_t kLines = 16;

// What a processor's instructions are good for. Every one gives the same bits.
enum class Isa : uint8_t { kBaseline, kAvx2, kAvx512 };
Isa BestIsa();         // of the processor it runs on, or what UseIsa said
void UseIsa(Isa isa);  // for measurements and tests; one that the processor has

struct Gemm {
  uint32_t m = 0, columns = 0;  // rows of C; columns, a multiple of 16
  uint32_t k = 0, chunk = 0;    // for every `chunk` of k one sum of products is added to C
  const float* a = nullptr;     // ceil(m / 16) panels, `pitch` numbers apart
  const float* b = nullptr;     // columns / 16 panels, `pitch` numbers apart
  size_t pitch = 0;
  float* c = nullptr;
  size_t c_pitch = 0;  // numbers from one 16 columns to the next
  bool exact = false;  // every product of two numbers is a float: fused with its sum it gives the
                       // same bits, in less time
};
// C += A * B, as if no product were fused with its sum. What is no number is the quiet NaN
// 0x7fc00000.
void Multiply(const Gemm& g, Isa isa);

}  // namespace akgen::sim::cube
