// Where the elements of an `own` instruction lie, and announcing them to the machine in few calls.
#pragma once
#include "sim/ops/lanes.h"

namespace akgen::sim {

inline constexpr uint32_t kBlock = 32;  // bytes of a DataBlock

// Element e of repeat r of a strided operand. COUNT form: the elements follow one another.
struct Operand {
  uint8_t* base = nullptr;
  uint32_t size = 1;          // bytes of an element
  uint32_t per_repeat = 1;    // elements
  uint32_t blk = 1, rep = 8;  // strides in DataBlocks
  bool contiguous = false;

  static Operand Of(const void* base, uint32_t size, uint32_t per_repeat, uint32_t blk,
                    uint32_t rep, bool count_form) {
    Operand o;
    o.base = const_cast<uint8_t*>(static_cast<const uint8_t*>(base));
    o.size = size;
    o.per_repeat = per_repeat;
    o.blk = blk;
    o.rep = rep;
    o.contiguous = count_form || (blk == 1 && rep * kBlock == per_repeat * size);
    return o;
  }
  uint8_t* At(uint32_t r, uint32_t e) const {
    if (contiguous) return Behind(base, (size_t(r) * per_repeat + e) * size);
    uint32_t per_block = kBlock / size;
    return Behind(
        base, (size_t(r) * rep + size_t(e / per_block) * blk) * kBlock + (e % per_block) * size);
  }
};

// Collects adjacent byte ranges and announces each maximal one.
class Announcer {
 public:
  Announcer(VecMachine& machine, bool write) : machine_(machine), write_(write) {}
  bool Add(uint8_t* at, size_t bytes) {
    if (at == Behind(begin_, bytes_)) {
      bytes_ += bytes;
      return true;
    }
    bool ok = Flush();
    begin_ = at;
    bytes_ = bytes;
    return ok;
  }
  bool Flush() {
    bool ok =
        bytes_ == 0 || (write_ ? machine_.Write(begin_, bytes_) : machine_.Read(begin_, bytes_));
    bytes_ = 0;
    ok_ = ok_ && ok;
    return ok;
  }
  bool Done() {
    Flush();
    return ok_;
  }

 private:
  VecMachine& machine_;
  bool write_, ok_ = true;
  uint8_t* begin_ = nullptr;
  size_t bytes_ = 0;
};

inline bool AllActive(const Extent& x) {
  if (x.total) return x.total == x.repeats * x.per_repeat;
  for (uint32_t e = 0; e < x.per_repeat; e += 64) {
    uint32_t lanes = x.per_repeat - e < 64 ? x.per_repeat - e : 64;
    uint64_t want = lanes == 64 ? ~uint64_t(0) : (uint64_t(1) << lanes) - 1;
    if ((x.bits[e >> 6] & want) != want) return false;
  }
  return true;
}

// How many leading elements of a repeat are active when its active elements are a prefix; -1 when
// they are not.
inline int Prefix(const Extent& x, uint32_t r) {
  if (x.total) {
    uint64_t first = uint64_t(r) * x.per_repeat;
    uint64_t left = x.total > first ? x.total - first : 0;
    return int(left < x.per_repeat ? left : x.per_repeat);
  }
  uint64_t low = x.bits[0], high = x.per_repeat > 64 ? x.bits[1] : 0;
  if (x.per_repeat < 64) low &= (uint64_t(1) << x.per_repeat) - 1;
  int n = std::countr_one(low);
  if (n == 64) n += std::countr_one(high);
  bool rest = n < 64 ? (low >> n) != 0 || high != 0 : n < 128 && (high >> (n - 64)) != 0;
  return rest ? -1 : n;
}

// Announces the active elements of an operand.
inline bool Announce(VecMachine& machine, const Operand& o, bool write) {
  const Extent& x = machine.extent();
  Announcer out(machine, write);
  if (o.contiguous && x.total) {
    out.Add(o.base, size_t(x.total) * o.size);
    return out.Done();
  }
  for (uint32_t r = 0; r < x.repeats; ++r) {
    int prefix = Prefix(x, r);
    uint32_t end = prefix < 0 ? x.per_repeat : uint32_t(prefix);
    if (prefix < 0 || !o.contiguous) {
      for (uint32_t e = 0; e < end; ++e)
        if (prefix >= 0 || x.Active(r, e)) out.Add(o.At(r, e), o.size);
    } else if (end) {
      out.Add(o.At(r, 0), size_t(end) * o.size);
    }
  }
  return out.Done();
}

// Bytes of one element; 0: no such dtype, or less than a byte.
constexpr uint32_t SizeOfType(uint8_t dtype) { return BitsOf(dtype) / 8; }
inline bool CountForm(const AkgenVec& instr) { return instr.form == AKGEN_FORM_COUNT; }

// One row of FindOwn's parts: op, dtype of src0 (or dst), body.
struct OwnRow {
  uint16_t op;
  uint8_t type;
  OwnFn run;
};
template <size_t N>
OwnFn PickOwn(const OwnRow (&table)[N], uint16_t op, uint8_t type) {
  for (const OwnRow& row : table)
    if (row.op == op && row.type == type) return row.run;
  return nullptr;
}

OwnFn FindCompare(const AkgenVec& instr);
OwnFn FindReduce(const AkgenVec& instr);
OwnFn FindTensorReduce(const AkgenVec& instr);
OwnFn FindGather(const AkgenVec& instr);
OwnFn FindShuffle(const AkgenVec& instr);
OwnFn FindSort(const AkgenVec& instr);
OwnFn FindRows(const AkgenVec& instr);
OwnFn FindQuant(const AkgenVec& instr);

}  // namespace akgen::sim
