// Kernels that the test runs on the real simulated chip.
#ifndef AKGEN_TESTS_HEADERS_ON_CHIP_KERNELS_H
#define AKGEN_TESTS_HEADERS_ON_CHIP_KERNELS_H
#include <cstdint>

extern "C" {
void fill_kernel(uint8_t* y);                // InitOutput: 3000 floats of 2.5 per block
void slice_kernel(uint8_t* x, uint8_t* y);   // 3x87 floats to 2x48
void pad_kernel(uint8_t* x, uint8_t* y);     // two rows of 5 half, padded with 7 to 16 each
void pool_kernel(uint8_t* x, uint8_t* y);    // adds 256 half to themselves through a TBufPool
void atomic_kernel(uint8_t* x, uint8_t* y);  // all blocks add 64 floats into y
void order_kernel(uint8_t* y, uint8_t* workspace);  // blocks append their number in order
void sync_kernel(uint8_t* x, uint8_t* y,
                 uint8_t* workspace);  // block i reads what block i+1 wrote before SyncAll
void expression_kernel(uint8_t* x, uint8_t* y);  // y = (x * x) - x by operators, 64 floats
void print_kernel(uint8_t* x);                   // prints the first element
}
#endif  // AKGEN_TESTS_HEADERS_ON_CHIP_KERNELS_H
