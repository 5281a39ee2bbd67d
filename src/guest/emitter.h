// Writes x86-64 instructions: those that translated guests are made of, and no others.
#pragma once
#include <cstdint>
#include <cstring>

namespace akgen::guest {

enum class Reg : uint8_t {
  rax,
  rcx,
  rdx,
  rbx,
  rsp,
  rbp,
  rsi,
  rdi,
  r8,
  r9,
  r10,
  r11,
  r12,
  r13,
  r14,
  r15
};

// Opcodes as a prefix, an escape and a byte: 0xf20f58 is ADDSD. The form "register, memory" unless
// it says otherwise.
enum class X86 : uint32_t {
  kAddTo = 0x01,  // memory, register; the same for those up to kCmpTo
  kOrTo = 0x09,
  kAndTo = 0x21,
  kSubTo = 0x29,
  kXorTo = 0x31,
  kCmpTo = 0x39,
  kTestTo = 0x85,
  kMovsxd = 0x63,
  kStore8 = 0x88,
  kStore = 0x89,
  kStore16 = 0x660089,
  kLoad = 0x8b,
  kLea = 0x8d,
  kImul = 0x0faf,
  kMovzx8 = 0x0fb6,
  kMovzx16 = 0x0fb7,
  kMovsx8 = 0x0fbe,
  kMovsx16 = 0x0fbf,
  kMovToXmm = 0x660f6e,
  kMovFromXmm = 0x660f7e,  // memory or general register, xmm
  kUcomiss = 0x0f2e,
  kUcomisd = 0x660f2e,
};
// The operation in an instruction's register field: with an immediate, shifts, divisions.
enum class Ext : uint8_t { kAdd = 0, kOr = 1, kAnd = 4, kSub = 5, kXor = 6, kCmp = 7 };
enum class Shift : uint8_t { kRor = 1, kShl = 4, kShr = 5, kSar = 7 };
enum class Condition : uint8_t {
  kBelow = 2,
  kAboveEqual = 3,
  kEqual = 4,
  kNotEqual = 5,
  kAbove = 7,
  kParity = 10,
  kLess = 12,
  kGreaterEqual = 13,
  kLessEqual = 14
};

struct Memory {
  Reg base;
  int32_t offset = 0;
  Reg index = Reg::rsp;  // rsp: none
};

constexpr unsigned NumberOf(Reg r) { return unsigned(r); }

// The bytes of instructions, one behind the other.
class CodeWriter {
 public:
  explicit CodeWriter(uint8_t* at) : at_(at) {}
  uint8_t* at() const { return at_; }
  void Byte(unsigned b) { *at_++ = uint8_t(b); }
  void Word(uint32_t w) {
    std::memcpy(at_, &w, 4);
    at_ += 4;
  }
  void Long(uint64_t w) {
    std::memcpy(at_, &w, 8);
    at_ += 8;
  }
  // Returns where the distance to `to` stands; nullptr: it is not known yet.
  uint8_t* Distance(const uint8_t* to) {
    uint8_t* place = at_;
    Word(0);
    if (to) Patch(place, to);
    return place;
  }
  static void Patch(uint8_t* distance, const uint8_t* to) {
    const auto value = int32_t(to - (distance + 4));
    std::memcpy(distance, &value, 4);
  }
  // Prefix, REX, escape, opcode. REX always: with it a byte of any register can be named.
  void Head(uint32_t op, bool wide, unsigned reg, unsigned index, unsigned base) {
    if (op >> 16) Byte(op >> 16);
    Byte(0x40 | wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
    if (op >> 8 & 0xff) Byte(op >> 8 & 0xff);
    Byte(op & 0xff);
  }

 private:
  uint8_t* at_;
};

class Emitter {
 public:
  // Code is written at `at`; what it refers to lies at the same distance from where it will be
  // executed.
  explicit Emitter(uint8_t* at) : code_(at) {}
  uint8_t* at() const { return code_.at(); }

  void Do(X86 op, bool wide, Reg reg, Reg rm) {
    code_.Head(uint32_t(op), wide, NumberOf(reg), 0, NumberOf(rm));
    code_.Byte(0xc0 | (NumberOf(reg) & 7) << 3 | (NumberOf(rm) & 7));
  }
  void Do(X86 op, bool wide, Reg reg, const Memory& m) {
    const unsigned base = NumberOf(m.base) & 7, field = (NumberOf(reg) & 7) << 3;
    const bool has_index = m.index != Reg::rsp, short_offset = m.offset == int8_t(m.offset);
    code_.Head(uint32_t(op), wide, NumberOf(reg), has_index ? NumberOf(m.index) : 0,
               NumberOf(m.base));
    const unsigned mode = short_offset ? 0x40 : 0x80;
    if (has_index || base == NumberOf(Reg::rsp)) {
      code_.Byte(mode | field | 4);
      code_.Byte((has_index ? NumberOf(m.index) & 7 : 4) << 3 | base);
    } else {
      code_.Byte(mode | field | base);
    }
    short_offset ? code_.Byte(uint8_t(m.offset)) : code_.Word(uint32_t(m.offset));
  }
  void Move(Reg to, Reg from) {
    if (to != from) Do(X86::kLoad, true, to, from);
  }
  void Zero(Reg r) { Do(X86::kXorTo, false, r, r); }  // changes flags
  void Constant(Reg to, uint64_t value) {
    if (value >> 32 == 0) {
      code_.Head(0xb8u + (NumberOf(to) & 7), false, 0, 0, NumberOf(to));
      code_.Word(uint32_t(value));
    } else if (int64_t(value) == int32_t(value)) {
      code_.Head(0xc7, true, 0, 0, NumberOf(to));
      code_.Byte(0xc0 | (NumberOf(to) & 7));
      code_.Word(uint32_t(value));
    } else {
      code_.Head(0xb8u + (NumberOf(to) & 7), true, 0, 0, NumberOf(to));
      code_.Long(value);
    }
  }
  void With(Ext op, bool wide, Reg r, int32_t value) {
    const bool is_short = value == int8_t(value);
    code_.Head(is_short ? 0x83 : 0x81, wide, 0, 0, NumberOf(r));
    code_.Byte(0xc0 | unsigned(op) << 3 | (NumberOf(r) & 7));
    is_short ? code_.Byte(uint8_t(value)) : code_.Word(uint32_t(value));
  }
  void ShiftBy(Shift op, bool wide, Reg r, unsigned amount) {
    code_.Head(0xc1, wide, 0, 0, NumberOf(r));
    code_.Byte(0xc0 | unsigned(op) << 3 | (NumberOf(r) & 7));
    code_.Byte(amount);
  }
  void ShiftByCl(Shift op, bool wide, Reg r) {
    code_.Head(0xd3, wide, 0, 0, NumberOf(r));
    code_.Byte(0xc0 | unsigned(op) << 3 | (NumberOf(r) & 7));
  }
  // rax and rdx by r; the dividend's upper half has been made by SignIntoRdx, or is zero.
  void Divide(bool is_signed, bool wide, Reg r) {
    code_.Head(0xf7, wide, 0, 0, NumberOf(r));
    code_.Byte(0xc0 | (is_signed ? 7 : 6) << 3 | (NumberOf(r) & 7));
  }
  void SignIntoRdx(bool wide) { code_.Head(0x99, wide, 0, 0, 0); }
  void SetRax(Condition c) {  // 0 or 1
    code_.Head(0x0f90u + unsigned(c), false, 0, 0, 0);
    code_.Byte(0xc0);
    Do(X86::kMovzx8, false, Reg::rax, Reg::rax);
  }
  // Each of these returns where its distance stands, for CodeWriter::Patch.
  uint8_t* JumpIf(Condition c, const uint8_t* to = nullptr) {
    code_.Byte(0x0f);
    code_.Byte(0x80u + unsigned(c));
    return code_.Distance(to);
  }
  uint8_t* Jump(const uint8_t* to = nullptr) {
    code_.Byte(0xe9);
    return code_.Distance(to);
  }
  void JumpThrough(const uint8_t* place) {  // to the address that lies there
    code_.Byte(0xff);
    code_.Byte(0x25);
    code_.Distance(place);
  }
  void AddressOf(Reg to, const uint8_t* place) {
    code_.Head(uint32_t(X86::kLea), true, NumberOf(to), 0, 0);
    code_.Byte((NumberOf(to) & 7) << 3 | 5);
    code_.Distance(place);
  }
  void JumpThroughTable(Reg table, Reg index) {  // of 8-byte addresses
    code_.Head(0xff, false, 0, NumberOf(index), NumberOf(table));
    code_.Byte(0x44 | 4 << 3);
    code_.Byte(3u << 6 | (NumberOf(index) & 7) << 3 | (NumberOf(table) & 7));
    code_.Byte(0);
  }
  void JumpTo(Reg r) {
    code_.Head(0xff, false, 0, 0, NumberOf(r));
    code_.Byte(0xc0 | 4 << 3 | (NumberOf(r) & 7));
  }

 protected:
  CodeWriter code_;
};

}  // namespace akgen::guest
