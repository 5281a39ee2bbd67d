// RV64IMAFD and Zfhmin, without compressed instructions: what the builder compiles kernels for.
#pragma once
#include <cstdint>
#include <vector>

#include "guest/insn.h"

namespace akgen::guest {

// One instruction per word and one more behind the last. Words that are no instruction become one
// that stops the guest, so that code which is never reached does no harm.
std::vector<Insn> Decode(const std::vector<uint32_t>& code);

// A word's fields, as the ISA manual names them.
struct Word {
  uint32_t bits;
  uint32_t opcode() const { return bits & 0x7f; }
  uint8_t rd() const { return uint8_t(bits >> 7 & 31); }
  uint32_t funct3() const { return bits >> 12 & 7; }
  uint8_t rs1() const { return uint8_t(bits >> 15 & 31); }
  uint8_t rs2() const { return uint8_t(bits >> 20 & 31); }
  uint8_t rs3() const { return uint8_t(bits >> 27); }
  uint32_t funct7() const { return bits >> 25; }
  int32_t imm_i() const { return int32_t(bits) >> 20; }
  int32_t imm_s() const { return (int32_t(bits) >> 25) * 32 + int32_t(bits >> 7 & 31); }
  int32_t imm_b() const {
    return (int32_t(bits) >> 31) * 4096 +
           int32_t((bits >> 7 & 1) << 11 | (bits >> 25 & 63) << 5 | (bits >> 8 & 15) << 1);
  }
  int32_t imm_u() const { return int32_t(bits & 0xfffff000); }
  int32_t imm_j() const {
    return (int32_t(bits) >> 31) * (1 << 20) +
           int32_t((bits >> 12 & 0xff) << 12 | (bits >> 20 & 1) << 11 | (bits >> 21 & 0x3ff) << 1);
  }
};

// What executes an instruction, and the same as a step of its own.
struct Operation {
  Handler run = nullptr;
  Step step = nullptr;
};
inline constexpr Operation kNone;
template <Step kStep>
constexpr Operation kAlone = {Then<kStep>, kStep};

// With what the translator needs on top. `step`: of a load or store, what it does beyond the
// guest's stack and variables; nullptr: jumps, branches and AUIPC, which need to know where they
// are.
struct Decoded : Insn {
  Step step;
  void Is(const Operation& o) { run = o.run, step = o.step; }
};
// The word at an index of code of this size; at its end, what says so.
Decoded DecodeOne(const std::vector<uint32_t>& code, size_t index);

bool NoInstruction(const Insn* at, State* s, uint64_t* x, int64_t fuel);

// Each fills in the registers and the operation; `run` stays nullptr when there is no such
// instruction.
void DecodeInteger(
    Word w, Decoded* out);  // computing on x registers, OP, OP-IMM and their 32-bit forms, LUI
void DecodeMemory(Word w, Decoded* out);  // loads and stores of both kinds of registers
void DecodeAtomic(Word w, Decoded* out);  // read-modify-write
void DecodeFloat(Word w, Decoded* out);   // computing on f registers, conversions
// Jumps and branches need to know where they are: the word's index and the number of words.
void DecodeControl(Word w, int64_t index, int64_t size, Decoded* out);
// Two words that mean one thing: a call (AUIPC and JALR), a constant (LUI and ADDI). False: they do
// not.
bool DecodePair(Word first, Word second, Insn* out);

// Two words that are often neighbours are executed in one step; what they mean is as before.
void JoinSimple(Word first, Word second, Insn* out);

inline uint8_t Target(uint8_t rd) { return rd ? rd : kDiscard; }
inline uint8_t Float(uint8_t r) { return uint8_t(kFloat0 + r); }

}  // namespace akgen::guest
