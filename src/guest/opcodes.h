#pragma once
#include <cstdint>

namespace akgen::guest {

// Bits 0 to 6 of an instruction of 32 bits (The RISC-V Instruction Set Manual, volume I, "RV32/64G
// Instruction Set Listings").
enum Opcode : uint32_t {
  kLoad = 0x03,
  kLoadFp = 0x07,
  kFence = 0x0f,
  kOpImm = 0x13,
  kAuipc = 0x17,
  kOpImm32 = 0x1b,
  kStore = 0x23,
  kStoreFp = 0x27,
  kAtomic = 0x2f,
  kOp = 0x33,
  kLui = 0x37,
  kOp32 = 0x3b,
  kMadd = 0x43,
  kNmadd = 0x4f,
  kOpFp = 0x53,
  kBranch = 0x63,
  kJalr = 0x67,
  kJal = 0x6f,
  kSystem = 0x73,
};

}  // namespace akgen::guest
