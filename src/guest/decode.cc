#include "guest/decode.h"

#include "guest/opcodes.h"

namespace akgen::guest {
namespace {
Stop CodeEnds(const Insn* at, State* s, uint64_t*, int64_t fuel) {
  return s->Fails(at, fuel, Fault::Kind::kJump, s->Address(at));
}

Insn DecodeOne(Word w, int64_t index, int64_t size) {
  Insn out{nullptr, 0, 0, 0, 0, 0};
  switch (w.opcode()) {
    case kLoad:
    case kLoadFp:
    case kStore:
    case kStoreFp: DecodeMemory(w, &out); break;
    case kBranch:
    case kJalr:
    case kJal:
    case kAuipc:
    case kFence:
    case kSystem: DecodeControl(w, index, size, &out); break;
    case kOpFp: DecodeFloat(w, &out); break;
    case kAtomic: DecodeAtomic(w, &out); break;
    default:
      // The four fused multiply-adds differ in bits 2 and 3.
      if (w.opcode() >= kMadd && w.opcode() <= kNmadd && w.opcode() % 4 == 3) DecodeFloat(w, &out);
      else DecodeInteger(w, &out);
  }
  if (!out.run) out.run = NoInstruction;
  return out;
}
}  // namespace

Stop NoInstruction(const Insn* at, State* s, uint64_t*, int64_t fuel) {
  return s->Fails(at, fuel, Fault::Kind::kInstruction, s->Address(at));
}

std::vector<Insn> Decode(const std::vector<uint32_t>& code) {
  std::vector<Insn> out;
  out.reserve(code.size() + 1);
  const auto size = int64_t(code.size());
  for (int64_t i = 0; i < size; ++i) {
    out.push_back(DecodeOne({code[size_t(i)]}, i, size));
    // The second half of a pair keeps its own place: code may jump to it.
    if (i + 1 == size) break;
    const Word word{code[size_t(i)]}, next{code[size_t(i + 1)]};
    if (!DecodePair(word, next, &out.back())) JoinSimple(word, next, &out.back());
  }
  out.push_back({CodeEnds, 0, 0, 0, 0, 0});
  return out;
}

}  // namespace akgen::guest
