// Kernels of the published measurements, rewritten: what they move and in which order is what was
// measured.
#pragma once
#include <cstdint>

namespace akgen::calibration {

// Adds two matrices of half in tiles; one variable per step of the published ladder.
struct AddLadder {
  uint32_t rows = 0, columns = 0, tile = 0;  // elements
  uint32_t buffers = 1;                      // per queue: 2 is double buffering
  bool scalar = false;                       // GetValue and SetValue instead of Add
  bool bypass = false;                       // x and y past L2
  uint32_t gap = 0;                          // bytes of UB left free between the buffers of x and y
};
void RunAddLadder(const AddLadder& shape, void* x, void* y, void* z);

// One Add of 4096 floats over and over; byte offsets in UB.
struct BankConflict {
  uint32_t src0 = 0, src1 = 0, dst = 0, repeats = 64;
  uint16_t src0_block_stride = 1, src0_repeat_stride = 8;
  uint32_t times = 1000;
};
void RunBankConflict(const BankConflict& c);

// Reads a matrix of half into UB in tiles of tile_rows × tile_columns, `passes` times. Rows of
// tiles are dealt to the cores.
struct ReadTiles {
  uint32_t rows = 0, columns = 0, row_pitch = 0, tile_rows = 0, tile_columns = 0;
  uint32_t passes = 1;
  uint32_t column_parts =
      1;  // the columns are cut in so many parts, each read `passes` times in a row
  bool whole_on_each_core = false,
       staggered = false;  // every core reads all tiles, in the same order or starting apart
};
void RunReadTiles(const ReadTiles& shape, void* matrix);

}  // namespace akgen::calibration
