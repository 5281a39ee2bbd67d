// Meaning of the vector instructions: one row of include/ascendc/akgen/vec_ops.inc, one body here.
//
// Element-wise families give a RunFn that computes n contiguous elements; the vector unit
// (sim/exec) resolves masks, repeats and strides into such runs. Rows of family `own` walk their
// operands themselves through a VecMachine, which checks and announces each access.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/ops/table.h"

namespace akgen::sim {

// The byte so far behind another one. What a kernel asks for may lie beyond all memory, where
// pointers cannot be added to; whether it does is for the machine to say.
template <class Byte>
Byte* Behind(Byte* at, uint64_t bytes) {
  return reinterpret_cast<Byte*>(reinterpret_cast<uintptr_t>(at) + bytes);
}

// Two numbers in one word of aux.
inline uint32_t Low(uint64_t packed) { return uint32_t(packed); }
inline uint32_t High(uint64_t packed) { return uint32_t(packed >> 32); }
struct RunArgs {
  uint64_t scalar = 0;  // bits, dtype as the op's row says
  float deq_scale = 1;  // SetDeqScale
  uint8_t round_mode = 0, mode = 0, flag = 0;
  uint8_t src_type = 0, dst_type = 0;
  int32_t deq_offset = 0;  // SetDeqScale's offset, 9 bits signed
  bool exact = false;      // leave out the documented inaccuracy of a row that is `imprecise`
};

// dst may equal src0 or src1 exactly. Families: map1 (src1 unused), map2, maps (scalar), acc2 and
// accs (dst is read too), fill (sources unused), math1/math2/maths.
using RunFn = void (*)(void* dst, const void* src0, const void* src1, uint32_t n,
                       const RunArgs& args);

// Whether a value of float32, but NaN, is another one in the 16 bits that it was cast to.
bool LosesDigits(uint8_t dst_type, const void* dst, const float* src, uint32_t n);

// The rounding modes that these dtypes have where the asked one is missing; empty: it is not the
// mode.
std::string OtherRoundings(AkgenVec v);

// The body for this op and its dtypes (and round mode), or nullptr when the hardware has no such
// combination.
RunFn FindRun(const AkgenVec& instr);

// How many elements per repeat and which: the form and mask state resolved.
struct Extent {
  uint32_t repeats = 0;
  uint32_t per_repeat = 0;    // elements a full repeat holds (256 / size of the wider operand)
  uint64_t bits[2] = {0, 0};  // active elements of each repeat (norm mode)
  uint32_t total = 0;         // COUNT form or counter mode: the first `total` elements; else 0
  // Is element `e` of repeat `r` active?
  bool Active(uint32_t r, uint32_t e) const {
    if (total) return uint64_t(r) * per_repeat + e < total;
    return (bits[e >> 6] >> (e & 63)) & 1;
  }
};

struct SpecialRegisters {
  uint64_t cmp_mask[2] = {0, 0};
  float acc_val = 0;          // GetAccVal
  uint64_t reduce_value = 0;  // GetReduceMaxMinCount, bits of the value
  uint64_t reduce_index = 0;
  uint64_t gather_count = 0;  // rsvdCnt
  uint64_t mrg_result = 0;    // packed 4×u16
  bool mrg_suspends = false;  // the latest merge ends with its first exhausted list

  // What of them was made of undefined data: bits of the mask, and a bit for each of the others.
  uint64_t cmp_mask_undefined[2] = {0, 0};
  enum Value : uint8_t { kAcc = 1, kReduce = 2, kGather = 4, kMerge = 8 };
  uint8_t undefined = 0;
  bool defined() const { return !(cmp_mask_undefined[0] | cmp_mask_undefined[1] | undefined); }
};

// What an `own` body sees of the core.
class VecMachine : public SpecialRegisters {
 public:
  virtual ~VecMachine() = default;
  // Announce and check an access to UB. False: it is illegal (already reported), do not touch the
  // memory.
  virtual bool Read(const void* address, size_t bytes) = 0;
  virtual bool Write(void* address, size_t bytes) = 0;
  // The bytes hold nothing defined from now on (a clobbered temporary buffer).
  virtual void Clobber(void* address, size_t bytes) = 0;
  // Do these bytes hold defined data? What Write announces is defined, until the body says
  // otherwise with SetDefined. A body that never does is run again on other bytes where nothing was
  // defined, and what then comes out otherwise is undefined.
  virtual bool Defined(const void* address, size_t bytes) = 0;
  virtual void SetDefined(void* address, size_t bytes, bool defined) = 0;
  // A byte of a mask: as it came out, where undefined lanes (bits) give what a launch with other
  // contents takes them for.
  virtual uint8_t MaskByte(uint8_t computed, uint8_t /*undefined*/) const { return computed; }
  // Reports a broken rule of the instruction (repeat range, alignment …): code, sentence, fix.
  virtual void Broken(const char* code, const char* message, const char* fix) = 0;
  // The same as a warning: the documentation rules it out, and public kernels do it.
  virtual void Warn(const char*, const char*, const char*) {}
  // Bytes of the Unified Buffer that no buffer was given, where functions without a temporary
  // buffer work.
  virtual uint32_t Left() const { return UINT32_MAX; }
  virtual const Extent& extent() const = 0;  // resolved for the instruction's form
  virtual RunArgs args() const = 0;
};
using OwnFn = void (*)(VecMachine& machine, const AkgenVec& instr);

// The body of an `own` row, or nullptr when the dtype combination does not exist.
OwnFn FindOwn(const AkgenVec& instr);

// Where the operands of an `own` instruction, and the temporary buffer of any, start, and on a
// multiple of how many bytes they have to. Operands that are not there are left out.
struct Start {
  const void* at;
  uint32_t align;
  bool write;
};
struct Starts {
  Start at[33];
  uint32_t count = 0;
};
Starts StartsOf(const AkgenVec& instr);

// How many bytes of the temporary buffer the library function may use, and so leaves undefined: the
// documented maximum (that of Get<Name>MaxMinTmpSize) or the whole buffer if that is smaller; one
// DataBlock where none is documented. `count`: elements, for element-wise rows.
size_t TmpUse(const AkgenVec& instr, uint32_t count);
// How many bytes the function needs at least, of a temporary buffer or of what is left of the
// Unified Buffer: the documented minimum, 0 where none is documented. Library functions of many
// operands say it themselves.
uint64_t TmpLeast(const AkgenVec& instr, uint32_t count);

}  // namespace akgen::sim
