// Interprets a checked program on tensors, without lowering it: the semantics of the language.
// Shares no arithmetic with the simulated chip. Cores run one after the other, in turns between two
// sync_all().
#pragma once
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/status.h"
#include "craft/ir/ir.h"
#include "craft/passes/lowered.h"

namespace akgen::craft {

struct Tensor {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  std::vector<float> err = {};  // with Limits::bounds, by element: how far a right lowering may be
                                // from it; empty: not at all
  int64_t Numel() const;
  // As kernels see it: a complex number is two of f32.
  int64_t Elements() const { return Numel() * (dtype == base::Dtype::kComplex64 ? 2 : 1); }
  base::Dtype Seen() const {
    return dtype == base::Dtype::kComplex64 ? base::Dtype::kFloat32 : dtype;
  }
};

using Number = std::variant<int64_t, double, bool, std::string>;

struct Arguments {
  std::map<std::string, std::vector<Tensor>>
      tensors;  // inputs by name: one tensor, several for a list, none if absent
  std::map<std::string, Number> attrs;
  std::map<std::string, std::vector<int64_t>> int_lists;
  std::map<std::string, std::vector<int64_t>>
      given;  // shapes of outputs, by name: of those that the caller decides,
              // and of others in place of what the program says
};

struct Limits {
  explicit Limits(const Target& target) : cores(target.cores), ub_bytes(target.ub_bytes) {}
  int64_t cores;  // what vector_cores() answers
  int64_t ub_bytes;
  bool bounds = false;                  // fill Tensor::err (bounds.cc says how)
  int64_t elements = int64_t{1} << 31;  // of a tensor that the host function makes
};

struct Outputs {
  std::vector<std::vector<Tensor>> tensors;           // in the order of the program's outputs
  std::map<std::string, std::vector<Tensor>> inputs;  // what stores have made of the inputs
  int64_t never_written = 0;                          // elements of outputs
};

// `lowered` decides fit(): the same tiles as the project's. AK1530 a window leaves its tensor,
// AK1531 two cores write or read the same element without sync_all(), AK1532 the arguments do not
// fit the program, AK1533 require() fails or no tile fits.
base::Result<Outputs> Interpret(const ir::Program& p, const LoweredProgram& lowered,
                                const Arguments& args, const Limits& limits);
// On the chip that it was lowered for.
base::Result<Outputs> Interpret(const ir::Program& p, const LoweredProgram& lowered,
                                const Arguments& args);

// Whether the host function alone, without its launches, takes these arguments; tensors need no
// elements.
bool HostAccepts(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args);

// Outputs as the host function declares them for these arguments, without a launch: what has no
// shape then has one element. For runs of inputs that the interpreter refuses.
Outputs Declared(const ir::Program& p, const LoweredProgram& lowered, const Arguments& args,
                 const Limits& limits);

// ---- for interpret/ only ----
// A tile of compute: floats as float, everything else as integers; bool as 0 and 1.
struct TileData {
  base::Dtype dtype = base::Dtype::kFloat32;
  int64_t rows = 1, cols = 1;
  std::vector<float> f;
  std::vector<int64_t> i;
  std::vector<float> e;  // as Tensor::err; infinity: a choice that is sensitive to rounding
  bool real() const { return base::IsFloating(dtype); }
};
// Where (r, c) lies; a tile of one row or one column is repeated.
inline int64_t At(const TileData& t, int64_t r, int64_t c) {
  return (t.rows == 1 ? 0 : r) * t.cols + (t.cols == 1 ? 0 : c);
}
TileData MakeTile(base::Dtype dtype, int64_t rows, int64_t cols);
// One operation with its operands.
TileData Evaluate(const ir::Value& v, const std::vector<const TileData*>& args, int64_t rows,
                  int64_t cols);
// k_row_window_…: `n` are the value's numbers, of which only the last may be less than 1.
TileData Windows(const ir::Value& v, const TileData& x, const std::vector<int64_t>& n, bool bounds);
TileData CastTile(const TileData& x, base::Dtype to);
double Real1(ir::Op op, double x);
double Real2(ir::Op op, double a, double b);
// float16 and bfloat16: rounded once to nearest even, to bits and back.
float RoundTo(base::Dtype d, double v);
uint16_t ShortBits(base::Dtype d, float v);
float ShortValue(base::Dtype d, uint16_t bits);
// Fills out.e for an operation whose result is there already.
void AddBounds(const ir::Value& v, const std::vector<const TileData*>& args, TileData& out);
void ReadElement(TileData& to, int64_t at, const uint8_t* from);
void WriteElement(const TileData& from, int64_t at, uint8_t* to);

}  // namespace akgen::craft
