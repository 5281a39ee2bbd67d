// A checked program. Every value in `compute` is a tile of at most two dimensions; shapes are
// scalar expressions over the kernel's parameters and loop variables, so one program serves every
// shape. One Program per column of dtypes.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/status.h"
#include "craft/ir/scalar.h"

namespace akgen::craft::ir {
using base::Dtype;

// ---- host ----
struct HostParam {
  std::string name;
  bool is_attr = false, is_list = false, optional = false;
  Dtype dtype = Dtype::kFloat32;  // tensors
  Ty type = Ty::kInt;             // attributes
  S fallback;                     // attributes: default value, may be null
  bool is_int_list = false;       // attributes: a list of integers
};

struct HostTensor {  // what host code makes
  std::string name;
  enum { kOutput, kInplace, kWorkspace } kind = kOutput;
  Dtype dtype = Dtype::kFloat32;
  Shape shape;
  std::string of;      // kInplace: the input; kOutput of a list: the list it is shaped like
  bool given = false;  // kOutput: of the shape the caller wants
  bool is_list = false;
};

struct HostStmt;
struct Program;
using HostBlock = std::vector<std::shared_ptr<HostStmt>>;
struct HostStmt {
  enum { kLet, kIf, kLaunch, kRequire } kind = kLet;
  Place place;
  std::string name;  // kLet
  S value;           // kLet: value; kIf: condition; kLaunch: cores; kRequire: condition
  HostBlock body, other;
  int kernel = 0;                    // kLaunch
  std::vector<std::string> tensors;  // kLaunch: the host's name for each GM parameter of the kernel
  std::vector<S> scalars;            // kLaunch: a value for each scalar parameter
  std::vector<std::string> lists;    // kLaunch: the host's name for each list of integers
};
// The launches of a program: by kernel.
struct LaunchSite {
  const HostStmt* launch = nullptr;
  bool conditional = false;  // below an if
  bool first = false;        // no launch before it is made where this one is
};
std::vector<LaunchSite> LaunchSites(const Program& p);
// The first launch in `b`, from this statement on or in what lies in it, that is given something
// made of `name`; null: none.
const HostStmt* LaunchWith(const HostBlock& b, size_t from, const std::string& name);

// ---- kernel ----
struct Gm {
  std::string name;
  Dtype dtype = Dtype::kFloat32;
  std::vector<S> dims;
  bool is_list = false;
};
struct KernelParam {
  std::string name;
  Ty type = Ty::kInt;
};
// A list of integers as kernels see it has at most so many, and none is negative.
inline constexpr int kMaxItems = 64;
// Where the pieces that lists have numbers of begin, if they lie one behind the other, and where
// the last one ends. Each has `size` elements, an expression over the piece's number kPiece:
// before()'s are products of the lists' numbers, those of blocks() count blocks.
struct Starts {
  std::string name;
  std::string list;
  S size;
  std::vector<std::string> lists;  // that `size` looks at: of one length, `list` is one of them
};
inline constexpr const char* kPiece = "#piece";  // no name of a program
// kUb: of a Vector core; kL1: an operand of products; kAcc: sums of products in L0C.
enum class Memory { kUb, kL1, kAcc };
struct Buffer {
  std::string name;
  Dtype dtype = Dtype::kFloat32;
  S rows, cols;  // capacity in elements
  Place place;
  Memory memory = Memory::kUb;
};

// [start, start + extent) of a dimension that has `room`.
struct Range {
  S start, extent, room;
};
// A rectangle of a GM tensor: element (i, j) lies at offset + i * row_stride + j.
struct GmRef {
  int gm = 0;
  S list_index;  // null unless a list
  S offset, rows, cols, row_stride;
  std::vector<Range> window;  // in each dimension, for the bounds check
  size_t of_view = 0;  // so many of them, the first ones, say where a view of the tensor lies
  Place place;
};

// One side of a product: a tile in L1, or a window of a tensor that is streamed through L1.
struct Matrix {
  int buffer = -1;  // -1: the window
  GmRef gm;
  bool transposed = false;
  S rows, cols;  // as the product sees them
};
// acc = a @ b, a [m, k] by b [k, n]; or acc + a @ b, or a @ b + row.
struct Product {
  int acc = 0;
  bool accumulate = false;
  Matrix a, b;
  std::optional<GmRef> row;  // [1, n], added to every row
  S m, n, k;
  std::string text;  // as written
  Place place;
};

enum class Op {
  kRead,   // buffer
  kSplat,  // scalar
  kWrite,  // args[0] -> buffer
#define CRAFT_OP(name, kind, domain) k_##name,
#include "craft/ir/ops.inc"
#undef CRAFT_OP
};
std::string_view NameOf(Op op);
std::optional<Op> OpFromName(std::string_view name);
enum class OpKind { unary, binary, compare, logic, row, column, all, scan, special, none };
OpKind KindOf(Op op);

struct Value {
  Op op = Op::kRead;
  std::vector<int> args;
  S scalar;                // kSplat, k_full, k_iota (first value)
  std::vector<S> numbers;  // k_row_window_…: outer, extent, inner, count, size, step, apart, before
  int buffer = -1;         // kRead, kWrite
  Dtype dtype = Dtype::kFloat32;
  S rows, cols;            // extent
  S most_rows, most_cols;  // upper bounds in variables that are known before the loops
  Place place;
};

struct Stmt;
using Block = std::vector<std::shared_ptr<Stmt>>;
enum class StageKind { kCopyIn, kCompute, kCopyOut, kCube, kHandover };

struct Copy {  // load or store
  int buffer = 0;
  GmRef gm;
  S fill;  // load: value of the padding to 32 bytes; null: undefined
  bool atomic_add = false;
  // What Fixpipe does to sums on their way out of L0C: max(0, x * scale). No scale: null.
  bool relu = false;
  S scale;
};

// The blocks of an [m, n] output that this core has: of all indices of `over` and all blocks of tm
// rows and tn columns, every cores()-th. Without n: blocks of rows. With `group` those of several
// outputs, one behind the other: m and n are expressions of the output's number.
struct Blocks {
  std::string group;                            // the output's number; empty: there is one
  std::string starts;                           // where the blocks of each begin: Kernel::starts
  std::vector<std::pair<std::string, S>> over;  // index and extent, outermost first
  std::string row, rows, col, cols;  // a block's first row and column, and how many of them
  S m, tm, n, tn;
  S order;  // strips of so many block rows, of block columns where negative; null: rows of blocks
};

// Sums go to a buffer of a Vector core.
struct Handover {
  int to = 0, from = 0;
};
// Between a Cube core and its Vector cores, made by split_cores: a flag of `id` is set when the
// copies into UB before it are done, or waited for.
struct Flag {
  bool set = false;
  int id = 0;
};

struct Stmt {
  enum { kLet, kFor, kIf, kStage, kSync, kBlocks, kFlag } kind = kLet;
  Place place;
  std::string name, count_name;  // kLet, kFor; tiles(): the second variable
  S value;                       // kLet; kIf: condition
  S first, last, step;           // kFor
  Block body, other;
  StageKind stage = StageKind::kCopyIn;
  std::vector<Copy> copies;
  std::vector<Value> values;             // kCompute, in order; args index into it
  std::vector<Product> products;         // kCube, in order
  std::vector<Handover> handovers;       // kHandover
  std::shared_ptr<const Blocks> blocks;  // kBlocks
  Flag flag;                             // kFlag
};

struct Kernel {
  std::string name;
  std::vector<Gm> gms;
  std::vector<KernelParam> params;
  std::vector<std::string> lists;  // of integers
  std::vector<Starts> starts;
  std::vector<Buffer> buffers;
  Block body;
  bool syncs = false;
  bool cube = false;  // has products: runs on Cube cores
  const Starts& StartsOf(const std::string& name) const;
};

struct Program {
  std::string name;
  std::vector<HostParam> params;
  std::vector<HostTensor> tensors;  // outputs in order, then workspaces
  HostBlock body;
  std::vector<Kernel> kernels;  // one per launch site
  // Launches may follow each other: each sees what the earlier ones have stored.
  bool sequence = false;
  const HostParam* Param(const std::string& name) const;
  const HostTensor* Tensor(const std::string& name) const;
  bool HasCube() const;  // any kernel
};

// Checks the invariants of the IR after every pass: operands defined before use, dtypes and shapes
// as the op demands. AK1590 with the kernel and the value.
base::Status Verify(const Program& p);
std::string Dump(const Program& p);
std::string Dump(const Kernel& k);
std::string_view ShortName(Dtype d);  // f32, f16, bf16, i32, …
// The annotation for an attribute of this type of task.toml: str of string, ints of list_int.
std::string AttributeWord(const std::string& type);
std::optional<Dtype> DtypeFromShort(std::string_view name);

}  // namespace akgen::craft::ir
