#include "guest/decode.h"

#include "guest/opcodes.h"

namespace akgen::guest {
namespace {
bool CodeEnds(const Insn* at, State* s, uint64_t*, int64_t fuel) {
  return s->Fails(at, fuel, Fault::Kind::kJump, s->Address(at)), false;
}
}  // namespace

bool NoInstruction(const Insn* at, State* s, uint64_t*, int64_t fuel) {
  return s->Fails(at, fuel, Fault::Kind::kInstruction, s->Address(at)), false;
}

Decoded DecodeOne(const std::vector<uint32_t>& code, size_t index) {
  Decoded out{};
  if (index >= code.size()) return out.Is(kAlone<CodeEnds>), out;
  const Word w{code[index]};
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
    case kSystem: DecodeControl(w, int64_t(index), int64_t(code.size()), &out); break;
    case kOpFp: DecodeFloat(w, &out); break;
    case kAtomic: DecodeAtomic(w, &out); break;
    default:
      // The four fused multiply-adds differ in bits 2 and 3.
      if (w.opcode() >= kMadd && w.opcode() <= kNmadd && w.opcode() % 4 == 3)
        DecodeFloat(w, &out);
      else
        DecodeInteger(w, &out);
  }
  if (!out.run) out.Is(kAlone<NoInstruction>);
  return out;
}

std::vector<Insn> Decode(const std::vector<uint32_t>& code) {
  std::vector<Insn> out;
  out.reserve(code.size() + 1);
  for (size_t i = 0; i < code.size(); ++i) {
    out.push_back(DecodeOne(code, i));
    // The second half of a pair keeps its own place: code may jump to it.
    if (i + 1 == code.size()) break;
    const Word word{code[i]}, next{code[i + 1]};
    if (!DecodePair(word, next, &out.back())) JoinSimple(word, next, &out.back());
  }
  out.push_back(DecodeOne(code, code.size()));
  return out;
}

}  // namespace akgen::guest
