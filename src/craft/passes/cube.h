// What a kernel becomes on a Cube core: a tree of loops and instructions, as values.
// emit/cube_class.cc prints it.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "craft/ir/ir.h"

namespace akgen::craft {

enum class CubeOp {
#define CUBE_OP(name, pipe, tensors, gm, numbers) name,
#include "craft/passes/cube_ops.inc"
#undef CUBE_OP
};
struct CubeOpRow {
  std::string_view name, pipe, tensors;
  bool gm;
  std::string_view numbers;
};
const CubeOpRow& RowOf(CubeOp op);

// Where a tensor of a Cube core lies: both sides of products in L1 and in L0A, L0B; sums in L0C; a
// row that is added to products in L1 and in BiasTable.
enum class CubePosition { kA1, kB1, kA2, kB2, kSums, kRow1, kRow2 };
struct CubeTensor {
  std::string name;
  base::Dtype dtype = base::Dtype::kFloat32;
  CubePosition position = CubePosition::kA1;
  int depth = 2;        // buffers of its queue; 0: one plain buffer
  bool member = false;  // of the class: several stages use it
  ir::S bytes;          // of one buffer: plan_cube
};

// How an instruction is to be done.
struct CubeForm {
  bool transposed = false;  // the tile in L1 is the transposed matrix
  bool pairs_of_k =
      false;  // mmad: f32 from a transposed left side has its fractals along K in pairs
  bool unit_flag = false;   // sums are handed over by unit flags: Mmad and Fixpipe order themselves
  bool relu = false;        // fixpipe
  bool atomic_add = false;  // fixpipe
  ir::S scale;              // fixpipe: from i32 to f16
  base::Dtype dtype = base::Dtype::kFloat32;  // fixpipe: of the window
};

struct CubeInstr {
  CubeOp op = CubeOp::loop;
  std::vector<int> tensors;
  std::optional<ir::GmRef> gm;
  std::vector<ir::S> numbers;  // let, branch: the value
  CubeForm form;
  std::string var, count;     // loop, let
  ir::S first, last, step;    // loop
  std::string name, comment;  // method
  const ir::Product* product = nullptr;
  int row = -1;  // of a product: the tensor of BiasTable that its sums begin with
  std::vector<CubeInstr> body, other;
  Place place;
};
using CubeBlock = std::vector<CubeInstr>;

struct LoweredKernel;
struct CubeKernel {
  ir::Kernel kernel;  // what the Cube core does of it
  std::vector<CubeTensor> tensors;
  std::vector<int> acc;  // by buffer: its tensor, -1 for others
  CubeBlock body;
  std::vector<std::pair<std::string, ir::S>>
      sizes;  // computed once, from the kernel's parameters: by member's name
  std::vector<ir::S>
      depths;  // of products, over the kernel's parameters: the host refuses empty ones
  std::vector<std::pair<ir::S, int64_t>>
      limits;  // what must not be larger than what: bytes, over the parameters
};

std::string FreshName(LoweredKernel& k, const std::string& base);
base::Status ExpandBlocks(LoweredKernel& k);

// Passes: each looks at one kernel, and does nothing to one without products.
base::Status SplitCores(LoweredKernel& k);
base::Status StreamK(LoweredKernel& k);
base::Status TileL0(LoweredKernel& k);
base::Status CubeQueues(LoweredKernel& k);
base::Status PlanCube(LoweredKernel& k);
// AK1590: operands, numbers and positions are not as cube_ops.inc says, or a queue's tensor is not
// given back.
base::Status VerifyCube(const CubeKernel& k);
std::string Dump(const CubeKernel& k);

}  // namespace akgen::craft
