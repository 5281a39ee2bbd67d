// Gather, Gatherb, Scatter and GatherMask: element addresses come from memory.
#include <algorithm>
#include <vector>

#include "sim/ops/walk.h"

namespace akgen::sim {
namespace {

// The bytes between the first and the last that an instruction reads.
struct Reach {
  const uint8_t *from = nullptr, *to = nullptr;
  void Add(const uint8_t* at, size_t bytes) {
    if (!from || at < from) from = at;
    if (!to || Behind(at, bytes) > to) to = Behind(at, bytes);
  }
  bool Meets(const uint8_t* at, size_t bytes) const {
    return from && from < Behind(at, bytes) && at < to;
  }
};
void OneMemory(VecMachine& machine) {
  machine.Warn("gather_overlap", "source and destination share memory",
               "gather into another buffer");
}

// Offsets of consecutive elements often run on; Announcer joins those.
template <class T>
void RunGather(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  const Extent& x = machine.extent();
  const bool count = CountForm(instr);
  // Offsets lie one after the other, kPer per repeat.
  const Operand offsets = Operand::Of(instr.src1, 4, kPer, 1, kPer * 4 / kBlock, true);
  const Operand d = Operand::Of(instr.dst, sizeof(T), kPer, 1, instr.dst_rep, count);
  if (x.repeats == 0 || !Announce(machine, offsets, false)) return;
  const uint8_t* base = Behind(static_cast<const uint8_t*>(instr.src0), uint32_t(instr.aux[0]));
  if (uint32_t(instr.aux[0]) % sizeof(T))
    machine.Broken("gather_base", "srcBaseAddr is not a multiple of the element size",
                   "give it in bytes: index * sizeof(T)");
  Announcer in(machine, false);
  Reach read, written;
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < kPer; ++e)
      if (x.Active(r, e)) {
        uint32_t offset;
        std::memcpy(&offset, offsets.At(r, e), 4);
        if (offset % sizeof(T)) {
          machine.Broken("gather_offset", "an offset is not a multiple of the element size",
                         "give byte offsets: index * sizeof(T)");
          return;
        }
        in.Add(const_cast<uint8_t*>(Behind(base, offset)), sizeof(T));
        read.Add(Behind(base, offset), sizeof(T));
        written.Add(d.At(r, e), sizeof(T));
      }
  if (read.Meets(written.from, size_t(written.to - written.from))) OneMemory(machine);
  if (!in.Done() || !Announce(machine, d, true)) return;
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < kPer; ++e)
      if (x.Active(r, e)) {
        uint32_t offset;
        std::memcpy(&offset, offsets.At(r, e), 4);
        std::memcpy(d.At(r, e), base + offset, sizeof(T));
      }
}

template <class T>
void RunScatter(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  const Extent& x = machine.extent();
  const Operand offsets = Operand::Of(instr.src1, 4, kPer, 1, kPer * 4 / kBlock, true);
  const Operand s = Operand::Of(instr.src0, sizeof(T), kPer, 1, instr.src0_rep, CountForm(instr));
  if (x.repeats == 0 || !Announce(machine, offsets, false) || !Announce(machine, s, false)) return;
  uint8_t* base = static_cast<uint8_t*>(instr.dst) + uint32_t(instr.aux[0]);
  Announcer out(machine, true);
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < kPer; ++e)
      if (x.Active(r, e)) {
        uint32_t offset;
        std::memcpy(&offset, offsets.At(r, e), 4);
        out.Add(Behind(base, offset), sizeof(T));
      }
  if (!out.Done()) return;
  for (uint32_t r = 0; r < x.repeats; ++r)
    for (uint32_t e = 0; e < kPer; ++e)
      if (x.Active(r, e)) {
        uint32_t offset;
        std::memcpy(&offset, offsets.At(r, e), 4);
        std::memcpy(base + offset, s.At(r, e), sizeof(T));
      }
}

// Eight DataBlocks a repeat; a dst_blk of 0 counts as 1.
void RunGatherb(VecMachine& machine, const AkgenVec& instr) {
  const uint32_t n = instr.repeat * 8, blk = instr.dst_blk ? instr.dst_blk : 1;
  if (n == 0 || !machine.Read(instr.src1, size_t(n) * 4)) return;
  const uint8_t* src = static_cast<const uint8_t*>(instr.src0);
  uint8_t* dst = static_cast<uint8_t*>(instr.dst);
  std::vector<uint32_t> offsets(n);
  std::memcpy(offsets.data(), instr.src1, size_t(n) * 4);
  Announcer in(machine, false), out(machine, true);
  Reach read, written;
  for (uint32_t offset : offsets) {
    if (offset % kBlock) {
      machine.Broken("gather_offset", "an offset is not a multiple of 32 bytes",
                     "gather whole DataBlocks");
      return;
    }
    in.Add(const_cast<uint8_t*>(Behind(src, offset)), kBlock);
    read.Add(Behind(src, offset), kBlock);
  }
  auto at = [&](uint32_t i) {
    return Behind(dst, (size_t(i / 8) * instr.dst_rep + size_t(i % 8) * blk) * kBlock);
  };
  if (!in.Done()) return;
  for (uint32_t i = 0; i < n; ++i) out.Add(at(i), kBlock), written.Add(at(i), kBlock);
  if (read.Meets(written.from, size_t(written.to - written.from))) OneMemory(machine);
  if (!out.Done()) return;
  for (uint32_t i = 0; i < n; ++i) std::memcpy(at(i), src + offsets[i], kBlock);
}

// Built-in patterns 1 … 7 over element positions.
bool Kept(uint8_t pattern, uint32_t e) {
  switch (pattern) {
    case 1: return e % 2 == 0;
    case 2: return e % 2 == 1;
    case 3:
    case 4:
    case 5:
    case 6: return e % 4 == uint32_t(pattern - 3);
    default: return true;
  }
}

// Normal mode: a repeat is 256 bytes. Counter mode (flag): a repeat is mask[0] elements, which may
// exceed 256 bytes; they go on DataBlock by DataBlock with src0_blk. A pattern tensor is consumed
// bit by bit inside a repeat and moves on by src1_rep DataBlocks between repeats.
struct MaskPlan {
  uint32_t repeats, elements;  // elements of a repeat
  const uint8_t* pattern;      // or nullptr: built-in
  size_t pattern_step;         // bytes
};

bool ReadMaskOperands(VecMachine& machine, const MaskPlan& plan, const Operand& s) {
  Announcer in(machine, false);
  for (uint32_t r = 0; r < plan.repeats; ++r)
    for (uint32_t e = 0; e < plan.elements; e += kBlock / s.size) {
      uint32_t n = std::min<uint32_t>(kBlock / s.size, plan.elements - e);
      in.Add(s.At(r, e), size_t(n) * s.size);
    }
  bool ok = in.Done();
  if (plan.pattern && ok) {
    Announcer bits(machine, false);
    for (uint32_t r = 0; r < plan.repeats; ++r)
      bits.Add(const_cast<uint8_t*>(plan.pattern + r * plan.pattern_step), (plan.elements + 7) / 8);
    ok = bits.Done();
  }
  return ok;
}

template <class T>
void RunGatherMask(VecMachine& machine, const AkgenVec& instr) {
  constexpr uint32_t kPer = 256 / sizeof(T);
  MaskPlan plan{instr.repeat, instr.flag ? uint32_t(instr.mask[0]) : kPer,
                static_cast<const uint8_t*>(instr.src1), size_t(instr.src1_rep) * kBlock};
  if (!plan.pattern && (instr.mode < 1 || instr.mode > 7)) {
    machine.Broken("gather_mask_pattern", "the built-in pattern is not one of 1 to 7",
                   "use 1 to 7 or a pattern tensor");
    return;
  }
  Operand s =
      Operand::Of(instr.src0, sizeof(T), plan.elements, instr.src0_blk, instr.src0_rep, false);
  s.contiguous = false;
  machine.gather_count = 0;
  if (plan.repeats == 0 || plan.elements == 0 || !ReadMaskOperands(machine, plan, s)) return;
  std::vector<T> kept;
  kept.reserve(size_t(plan.repeats) * plan.elements);
  for (uint32_t r = 0; r < plan.repeats; ++r) {
    const uint8_t* bits = plan.pattern ? plan.pattern + r * plan.pattern_step : nullptr;
    for (uint32_t e = 0; e < plan.elements; ++e)
      if (bits ? (bits[e >> 3] >> (e & 7)) & 1 : Kept(instr.mode, e))
        kept.push_back(*reinterpret_cast<const T*>(s.At(r, e)));
  }
  machine.gather_count = kept.size();
  if (kept.empty() || !machine.Write(instr.dst, kept.size() * sizeof(T))) return;
  std::memcpy(instr.dst, kept.data(), kept.size() * sizeof(T));
}

}  // namespace

OwnFn FindGather(const AkgenVec& instr) {
  const uint32_t size = SizeOfType(instr.dst_type);
  if (size != 2 && size != 4) return nullptr;
  switch (instr.op) {
    case AKGEN_OP_Gather: return size == 2 ? RunGather<uint16_t> : RunGather<uint32_t>;
    case AKGEN_OP_Scatter: return size == 2 ? RunScatter<uint16_t> : RunScatter<uint32_t>;
    case AKGEN_OP_Gatherb: return RunGatherb;
    case AKGEN_OP_GatherMask: return size == 2 ? RunGatherMask<uint16_t> : RunGatherMask<uint32_t>;
    default: return nullptr;
  }
}

}  // namespace akgen::sim
