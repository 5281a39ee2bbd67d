// Library functions of many operands (the rows of vec_ops.inc with a list in aux[0]): what their
// bodies share.
#pragma once
#include <vector>

#include "akgen/library_tmp.h"
#include "sim/ops/tree.h"

namespace akgen::sim {

// Rows of `n` elements that begin `pitch` elements apart.
struct Part {
  uint8_t* at = nullptr;
  uint8_t type = AKGEN_F32;
  uint32_t rows = 1, pitch = 0, n = 0;

  uint8_t* Row(uint32_t r) const { return at + size_t(r) * pitch * SizeOfType(type); }
  size_t RowBytes() const { return size_t(n) * SizeOfType(type); }
  size_t Span() const { return rows && n ? (size_t(rows - 1) * pitch + n) * SizeOfType(type) : 0; }
  bool Meets(const uint8_t* other, size_t bytes) const {
    return at < other + bytes && other < at + Span();
  }
};

// What sums, maxima, gamma and beta are made of.
constexpr bool IsShortOrSingle(uint8_t type) {
  return type == AKGEN_F16 || type == AKGEN_BF16 || type == AKGEN_F32;
}

class Library {
 public:
  Library(VecMachine& machine, const AkgenVec& instr) : machine_(machine), instr_(instr) {}

  // Operand i of the list, one row of n elements or several.
  Part Operand(uint32_t i, uint8_t type, uint32_t rows, uint32_t pitch, uint32_t n) const;
  Part Operand(uint32_t i, uint8_t type, uint32_t n) const { return Operand(i, type, 1, n, n); }
  uint32_t Low(int aux) const { return uint32_t(instr_.aux[aux]); }
  uint32_t High(int aux) const { return uint32_t(instr_.aux[aux] >> 32); }
  float Scalar() const { return ScalarOf<float>(instr_.scalar); }

  void In(const Part& part) { in_.push_back(part); }
  // may_share: a source may start where this result does; else no source may share a byte with it.
  void Out(const Part& part, bool may_share = false) { out_.push_back({part, may_share}); }
  // Do rows of so many elements of the data begin at DataBlocks? False: it is said.
  bool WholeBlocks(uint32_t pitch);
  // Checks sizes and overlaps, announces what is read and written, clobbers the temporary buffer.
  // False: nothing may be touched.
  bool Begin(TmpSize tmp);

  // Values of any dtype of up to 32 bits.
  std::vector<float> Load(const Part& part, uint32_t row = 0) const;
  void Store(const Part& part, uint32_t row, const std::vector<float>& values);
  void Store(const Part& part, uint32_t element, float value);
  // Is all that is read defined? If not, what a result's row depends on decides (Mark).
  bool AllDefined() const { return all_defined_; }
  bool Defined(const Part& part, uint32_t row = 0) const;
  void Mark(const Part& part, uint32_t row, bool defined);
  void MarkElement(const Part& part, uint32_t element, bool defined);
  bool Broken(const char* code, const char* message, const char* fix) {
    machine_.Broken(code, message, fix);
    return false;
  }

 private:
  struct Result {
    Part part;
    bool may_share;
  };
  bool Overlaps() const;
  VecMachine& machine_;
  const AkgenVec& instr_;
  std::vector<Part> in_;
  std::vector<Result> out_;
  bool all_defined_ = true;
};

OwnFn FindNorm(const AkgenVec& instr);
OwnFn FindLibrary(const AkgenVec& instr);
OwnFn FindReduction(const AkgenVec& instr);
OwnFn FindFlash(const AkgenVec& instr);
OwnFn FindTransData(const AkgenVec& instr);

}  // namespace akgen::sim
