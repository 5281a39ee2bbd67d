// What a vector instruction is: a row of include/ascendc/akgen/vec_ops.inc. Code that needs to know
// something of an instruction asks its row; the order of rows means nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "akgen/abi.h"

namespace akgen::sim {

enum class Family : uint8_t { map1, map2, maps, acc2, accs, fill, own, math1, math2, maths };

// What an operand is to the instruction: offset and index are numbers of 32 bits, an offset names a
// place in UB.
enum class Use : uint8_t { none, result, source, mask, index, offset };

// A list of addresses, an array of the caller's that is gone when its call returns.
enum class Listed : uint8_t {
  nothing,
  results,
  sources,
  valid_sources,  // those whose bit in `mode` is set
  operands        // results, as many as round_mode says, then sources; null: not there
};
struct List {
  uint8_t n = 0;  // addresses
  Listed what = Listed::nothing;
};

// On a multiple of how many bytes an operand starts.
enum class Align : uint8_t {
  block,    // 32 bytes
  element,  // one element
  eight,    // eight elements
  record,   // eight bytes: a value and its index
  indexed,  // a value, and with `flag` its index
  ordered   // what `mode` (ReduceOrder) puts together: a value and an index, or one of them
};

// How many elements an instruction handles.
enum class Size : uint8_t {
  form,   // as its form says: count, or repeats
  rows,   // aux[0] rows of aux[1]
  shape,  // packed in aux[2]
  list,   // a library function's: packed in aux[1]
  groups  // of channels, in aux[1] and aux[2]
};

// What it costs: a table of the same name in data/timing. steps: instructions over the operand that
// it is made of.
enum class Rate : uint8_t {
  simple,
  exp,
  cast,
  mul_add,
  gather_mask,
  reduce_repeat,
  reduce_block_sum,
  reduce_tensor,
  gather,
  gather_block,
  sort,
  steps2,
  steps3,
  steps6,
  steps12,
  steps30
};
inline constexpr const char* kRateNames[] = {
    "simple",           "exp",           "cast",    "mul_add",      "gather_mask", "reduce_repeat",
    "reduce_block_sum", "reduce_tensor", "gather",  "gather_block", "sort",        "steps2",
    "steps3",           "steps6",        "steps12", "steps30"};
inline constexpr size_t kRates = std::size(kRateNames);
static_assert(kRates == size_t(Rate::steps30) + 1);

// Chip generations, a bit each.
inline constexpr uint16_t kArch2201 = 1, kArch3510 = 2;
// Of a value of __NPU_ARCH__; 0: another one.
constexpr uint16_t GenerationOf(int npu_arch) {
  return npu_arch == 2201 ? kArch2201 : npu_arch == 3510 ? kArch3510 : uint16_t{0};
}

// Bytes of the temporary buffer that a library function may use, -1 where nothing is documented.
// `count`: elements, of element-wise rows.
using TmpFn = int64_t (*)(const AkgenVec& v, uint64_t count);

struct VecColumns {
  uint16_t arch = kArch2201 | kArch3510;  // generations that have it
  // Operands: fields of the record, words of aux that are addresses, lists in aux[0] and aux[1].
  // Element-wise families say which sources they have, library functions have a list.
  Use dst = Use::result, src0 = Use::source, src1 = Use::none, aux0 = Use::none, aux3 = Use::none;
  List list0 = {}, list1 = {};
  Align dst_align = Align::block, list_align = Align::block;
  Size size = Size::form;
  Rate rate = Rate::simple;
  TmpFn tmp = nullptr;
  // One instruction of the vector unit that goes over repeats of 256 bytes: its operands can meet
  // in a bank, and two over neighbouring elements can be one.
  bool repeats = false;
  bool moves = false;    // results are bits of operands: no arithmetic in the dtype
  bool cancels = false;  // gives zero of two equal integers, whatever they are
  // Bitwise: a byte of this value, whatever the other operand holds there, makes the byte of the
  // result. -1: none does.
  int absorbing = -1;
  bool converts = false;             // from src_type to dst_type
  bool in_place = false;             // a function of the library whose result may lie on its source
  bool mask_of_each_repeat = false;  // in counter mode the mask counts the elements of each repeat
  bool library = false;              // a library function of many operands
  bool imprecise = false;            // by its page; how much: src/sim/ops/imprecise.h
};

struct VecRow : VecColumns {
  const char* name = "?";  // as in Ascend C
  Family family = Family::own;
  uint32_t sources[32] =
      {};  // by dtype of dst: the legal dtypes of src0, a bit each; all: whatever src_type says

  bool Takes(uint8_t dst_type, uint8_t src_type) const {
    const uint32_t legal = dst_type < 32 ? sources[dst_type] : 0;
    return legal == UINT32_MAX || (src_type < 32 && (legal >> src_type & 1));
  }
  // Are these dtypes legal? Where a source or a list of numbers is in src1, its dtype too.
  bool Takes(const AkgenVec& v) const;
};

namespace table {
extern const VecRow kRows[AKGEN_OP_COUNT_ + 1];  // the last: of no instruction
}
inline const VecRow& RowOf(uint32_t op) {
  return table::kRows[op < AKGEN_OP_COUNT_ ? op : AKGEN_OP_COUNT_];
}
inline const char* VecOpName(uint32_t op) { return RowOf(op).name; }
inline Family VecOpFamily(uint32_t op) { return RowOf(op).family; }

// Bits of one element, 0: no such dtype.
constexpr uint32_t BitsOf(uint8_t dtype) {
  switch (dtype) {
    case AKGEN_I4: return 4;
    case AKGEN_I8:
    case AKGEN_U8:
    case AKGEN_BOOL: return 8;
    case AKGEN_F16:
    case AKGEN_BF16:
    case AKGEN_I16:
    case AKGEN_U16: return 16;
    case AKGEN_F32:
    case AKGEN_I32:
    case AKGEN_U32: return 32;
    case AKGEN_I64:
    case AKGEN_U64:
    case AKGEN_F64:
    case AKGEN_C64: return 64;
    default: return 0;
  }
}

}  // namespace akgen::sim
