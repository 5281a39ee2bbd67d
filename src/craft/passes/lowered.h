// What the passes work on: a checked kernel plus, pass by pass, where its buffers lie and which
// instructions its stages become. The order of passes is in lower.cc.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "craft/ir/ir.h"
#include "craft/ir/target.h"
#include "craft/passes/cube.h"

namespace akgen::craft {

// A tile in UB that an instruction touches: a buffer of the program or a temporary of the compiler.
struct Tile {
  int buffer = -1, temp = -1;
  base::Dtype dtype = base::Dtype::kFloat32;  // as the instruction sees it
  bool same_row = false;                      // in a loop over rows: always the first row
  ir::S most_rows, most_cols;                 // capacity: decides the distance of rows
  bool valid() const { return buffer >= 0 || temp >= 0; }
};

// One instruction, or one statement of the scalar unit. In `text` $0, $1, … stand for tiles, @0, …
// for scalars, #n for the number of elements, #r for the row in a loop over rows.
struct Instr {
  std::string text;
  std::vector<Tile> tiles;  // tiles[0] is written unless `reads_only`
  std::vector<ir::S> scalars;
  ir::S rows, cols;            // extent it works on
  bool per_row = false;        // inside a loop over the rows; else on all rows at once
  bool round64 = false;        // the number of elements is rounded up to 64
  bool with_previous = false;  // shares a row's scratch with the instruction before
  int group = 0;               // instructions of one loop over rows have one number
};

struct Temp {
  base::Dtype dtype = base::Dtype::kFloat32;
  ir::S rows, cols;   // capacity in elements
  int slot = -1;      // plan_ub
  bool bits = false;  // a mask: one bit per element
};

enum class Role {
  kCalc,  // only compute touches it: TBuf
  kIn,    // loaded: a queue from MTE2 to the vector unit
  kOut,   // stored: a queue from the vector unit to MTE3
  kMove,  // loaded and stored as it is: a queue from MTE2 to MTE3
};

// Where a queue's tensor is allocated and freed: calls put before and after a statement.
struct Hook {
  enum Action { kAlloc, kEnQue, kDeQue, kFree } action;
  int buffer;
};

struct StageCode {
  std::vector<Instr> instrs;
  std::map<size_t, std::vector<Hook>> behind;  // an instruction, by its number
};

struct Hooks {
  std::vector<Hook> before, after;
};

// Where tiles wait on their way to a Vector core: kRingSlots for each block, in the workspace.
struct Ring {
  int gm = 0;  // of both kernels
  std::string name;
  ir::S rows, cols;
  base::Dtype dtype = base::Dtype::kFloat32;
};
inline constexpr int64_t kRingSlots = 2;

struct LoweredKernel {
  ir::Kernel kernel;
  Target target;
  std::set<std::string> taken;  // names in use: FreshName
  ir::S blocks;  // expand_blocks: how many blocks are shared out, so that more cores have nothing
                 // to do; null: not known
  std::string block_row, block_rows, block_cols,
      block_loop;                             // expand_blocks: names of the loop over blocks
  std::vector<Ring> rings;                    // split_cores
  std::shared_ptr<CubeKernel> cube;           // split_cores: what its Cube core does; null: nothing
  std::map<const ir::Stmt*, StageCode> code;  // select_instructions
  std::vector<Temp> temps;
  std::vector<Role> roles;  // assign_queues: by buffer
  std::map<const ir::Stmt*, Hooks> hooks;
  std::vector<int> depth;  // double_buffer: buffers of its queue; event_ids: 0 is a plain buffer
                           // between barriers
  std::vector<int>
      queue;  // event_ids: the buffer whose queue this one uses, itself where it is not shared
  bool Mixed() const { return cube && !rings.empty(); }
  bool HasQueue(size_t b) const { return roles[b] != Role::kCalc && depth[queue[b]] > 0; }
  bool HasMemory(size_t b) const { return !HasQueue(b) || queue[b] == int(b); }  // of its own
  int granule = 8;  // align_pad: rows of tiles begin at multiples of this many elements
  struct Slot {
    ir::S bytes;
    std::string name;
  };
  std::vector<Slot> slots;  // plan_ub
  ir::S ub_bytes;           // compute_ub_size: UB the kernel takes, over its parameters
  // model_cost: cycles of the busiest core, over the kernel's parameters, cores(), and NAME_count
  // and NAME_mean: how many tensors a list has and how many elements one of them. overlap(in,
  // vector, out, scalar, shared, and one iteration's in, vector, out) stands for a loop whose units
  // overlap. `parts`: what it is made of, by name.
  ir::S cycles;
  std::vector<std::pair<std::string, ir::S>> parts;
};

// split_rows.cc: of a kernel that hands tiles over.
ir::S RingTurn(const LoweredKernel& k);
ir::S RingOffset(const LoweredKernel& k, const Ring& ring);
base::Status SplitRows(LoweredKernel& k, ir::Block& vector);

struct LoweredProgram {
  ir::Program program;
  Target target;
  std::vector<LoweredKernel> kernels;
};

// Bytes of the row distance and of a whole tile of this capacity, in elements and bytes.
ir::S RowPitch(const LoweredKernel& k, const ir::S& most_rows, const ir::S& most_cols);
ir::S TileBytes(const LoweredKernel& k, const ir::S& most_rows, const ir::S& most_cols,
                base::Dtype dtype);
int ElementBytes(base::Dtype dtype);  // in UB: bool tiles of compute are float

// The passes, in this order. Each one looks at one kernel; AK1520 and AK1521 name the statement
// that cannot be lowered.
base::Status AlignPad(LoweredKernel& k);
base::Status StageFusion(LoweredKernel& k);
base::Status SelectInstructions(LoweredKernel& k);
base::Status AssignQueues(LoweredKernel& k);
base::Status DoubleBuffer(LoweredKernel& k);
base::Status EventIds(LoweredKernel& k);
base::Status PlanUb(LoweredKernel& k);
base::Status ComputeUbSize(LoweredKernel& k);
base::Status ModelCost(LoweredKernel& k);

struct Pass {
  const char* name;
  const char* what;
  base::Status (*run)(LoweredKernel&);
};
const std::vector<Pass>& Passes();
std::string Dump(const LoweredKernel& k);
// Runs all passes over all kernels of a program, for one chip. `after`, if given, sees each kernel
// after each pass.
base::Result<LoweredProgram> Lower(
    const ir::Program& p, const Target& target,
    const std::function<void(const Pass&, const LoweredKernel&)>& after = {});

}  // namespace akgen::craft
