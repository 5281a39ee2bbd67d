// Kernels that stand for measured framework operators (data/timing/stands_for.csv): what a careful
// author would write for the same work. They move and compute as much, in tiles and double buffers;
// their values matter to nobody.
#pragma once
#include <cstdint>

namespace akgen::calibration {

enum class Type : uint8_t { none, half, bfloat16, float32, int8 };
uint32_t BytesOf(Type t);

enum class Work : uint8_t { sigmoid, mish, affine_exp, cast, muls, mul, exp };

// y = work(x) or work(x, x1), over n elements. `n` is what is run; `whole` what the row has: cores
// are chosen by it.
struct Elementwise {
  Work work = Work::exp;
  Type in = Type::half, in1 = Type::none, out = Type::half;
  uint64_t n = 0;
};
void RunElementwise(const Elementwise& e, uint8_t* in, uint8_t* in1, uint8_t* out);

enum class RowWork : uint8_t { softmax, dynamic_quant, add_rms_norm_dynamic_quant, mean };

// Row by row; rows that are short come together in one copy.
struct RowKernel {
  RowWork work = RowWork::softmax;
  Type type = Type::half;
  uint32_t rows = 0, columns = 0;
};
void RunRows(const RowKernel& r, uint8_t* memory);

// Groups of `channels` channels of `area` elements: normalised, each channel with its scale and
// shift.
struct GroupNorm {
  Type type = Type::half;
  uint32_t groups = 0, channels = 0, area = 0;
};
void RunGroupNorm(const GroupNorm& g, uint8_t* memory);

// Norms of `tensors` tensors of n elements each, every one over all cores; partial sums meet in the
// workspace.
struct ListNorm {
  Type type = Type::half;
  uint32_t tensors = 1;
  uint64_t n = 0;
};
void RunListNorm(const ListNorm& l, uint8_t* memory);

// Tokens of `ranks` x `experts` runs, sorted by rank, are sorted by expert: a rank per core, run
// after run, each with its scales and the numbers of its rows. Where a run goes is added up by the
// scalar unit from a table of counts.
struct Rerouting {
  uint32_t ranks = 0, experts = 0, rows = 0, bytes = 0;  // rows of a run, bytes of a row
  uint32_t count_bytes = 4;                              // of an element of the table
  bool scales = false;
};
void RunRerouting(const Rerouting& r, uint8_t* memory);

// Softmax of short rows, and the largest `k` of each with their places: rows of at most 8 columns.
struct GatingTopK {
  uint32_t rows = 0, columns = 0, k = 0;
};
void RunGatingTopK(const GatingTopK& g, uint8_t* memory);

}  // namespace akgen::calibration
