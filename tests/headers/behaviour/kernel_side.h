// Small pieces of kernel code, compiled with kernel_operator.h in their own unit, and what they
// told the chip.
#ifndef AKGEN_TESTS_HEADERS_KERNEL_SIDE_H
#define AKGEN_TESTS_HEADERS_KERNEL_SIDE_H
#include <cstdint>
#include <string>
#include <vector>
#include "akgen/abi.h"

struct Told {
  std::vector<AkgenCopy> copies;
  std::vector<AkgenVec> vectors;
  std::vector<std::string> calls;  // everything else, as text
};
// The recording chip.
Told& Chip();
uint8_t* FakeUb();  // 192 KB
void ResetChip();

// kernel_side.cc
void RunPlainCopies(uint8_t* gm);
void RunPadCopies(uint8_t* gm);
void RunSlices(float* gm);
void RunExpressions();
void RunQueue();
void RunInitOutput(uint8_t* gm, uint32_t count);
void RunMasks();
void RunAtomics();
std::vector<int64_t> TensorShapes();
std::vector<int64_t> ElementAccess(uint8_t* gm);
std::vector<int64_t> ListTensor(void* descriptor);
std::vector<int64_t> Tiling(uint8_t* block, uint64_t key);
void RunPrintf();
void RunAssert(int value);
int64_t Round(float value, int mode);
uint16_t RoundOddBits(float value);
std::vector<int64_t> Bits(uint64_t value);
uint32_t HalfToFloatBits(uint16_t bits);
uint16_t FloatToHalfBits(float value);
uint16_t DoubleToHalfBits(double value);
uint16_t FloatToBrainBits(float value);
uint16_t DoubleToBrainBits(double value);
float SquareRoot(float value);
#endif  // AKGEN_TESTS_HEADERS_KERNEL_SIDE_H
