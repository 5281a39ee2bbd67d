// The vector unit: resolves forms, masks and strides of an instruction into contiguous runs, checks
// them, runs the body.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "sim/exec/dependence.h"
#include "sim/exec/launch_state.h"
#include "sim/exec/left_modes.h"
#include "sim/exec/vector_rules.h"
#include "sim/ops/saturation.h"

namespace akgen::sim {
namespace {

struct Operand {
  uint8_t* base;
  uint32_t bits;      // of one element
  uint32_t blk, rep;  // strides in DataBlocks
  bool read, write;
  // Address of element e of repeat r.
  uint8_t* At(uint32_t r, uint32_t e) const {
    uint32_t per_block = 256 / bits;
    return base + size_t(r) * rep * 32 + size_t(e / per_block) * blk * 32 +
           size_t(e % per_block) * bits / 8;
  }
  size_t Bytes(uint32_t n) const { return (size_t(n) * bits + 7) / 8; }
};

struct OpPlan {
  Operand op[3];
  int count = 0;
  Extent extent;
  bool contiguous_repeat = true;  // the elements of a repeat lie side by side in every operand
  bool contiguous = true;         // and so do the repeats
};

Extent Resolve(const AkgenVec& v, const IssueState& s, uint32_t widest_bits) {
  Extent e;
  e.per_repeat = std::max(1u, 2048 / std::max(widest_bits, 1u));  // without any dtype: 0
  uint64_t m[2] = {v.mask[0], v.mask[1]};
  if (v.form == AKGEN_FORM_COUNT || v.form == AKGEN_FORM_WHOLE) {
    e.total = v.count;
    e.repeats = (v.count + e.per_repeat - 1) / e.per_repeat;
    return e;
  }
  if (!v.set_mask) {
    m[0] = s.mask[0];
    m[1] = s.mask[1];
  }
  if (s.counter &&
      RowOf(v.op).mask_of_each_repeat) {  // documented: the mask counts the elements of each repeat
    e.per_repeat = std::max<uint32_t>(1, uint32_t(m[0]));
    e.repeats = v.repeat;
    e.total = e.per_repeat * e.repeats;
    return e;
  }
  if (s.counter) {
    e.total = uint32_t(m[0]);
    e.repeats = (e.total + e.per_repeat - 1) / e.per_repeat;
    return e;
  }
  e.repeats = v.repeat;
  if (v.form == AKGEN_FORM_MASK && v.set_mask) {
    uint64_t n = m[0];
    m[0] = n >= 64 ? ~0ull : (1ull << n) - 1;
    m[1] = n >= 128 ? ~0ull : (n > 64 ? (1ull << (n - 64)) - 1 : 0);
  }
  e.bits[0] = m[0];
  e.bits[1] = m[1];
  if (e.per_repeat <= 64) e.bits[1] = 0;
  if (e.per_repeat < 64) e.bits[0] &= (1ull << e.per_repeat) - 1;
  return e;
}

bool OfIntegers(const AkgenVec& v) {
  return v.dst_type != AKGEN_F16 && v.dst_type != AKGEN_BF16 && v.dst_type != AKGEN_F32;
}

// x - x and x ^ x of integers are zero whatever x holds. (Of floats they are not: x may be infinite
// or no number.)
bool CancelsItself(const AkgenVec& v) { return OfIntegers(v) && RowOf(v.op).cancels; }

// Sums and products of integers that wrap: no byte of the result is made of higher ones.
bool Carries(const AkgenVec& v) {
  return OfIntegers(v) && v.dst_type == v.src_type &&
         (v.op == AKGEN_OP_Add || v.op == AKGEN_OP_Sub || v.op == AKGEN_OP_Mul ||
          v.op == AKGEN_OP_Adds || v.op == AKGEN_OP_Muls);
}

// Each byte of the result is made of the same byte of each operand.
bool Bitwise(const AkgenVec& v) {
  return v.op == AKGEN_OP_And || v.op == AKGEN_OP_Or || v.op == AKGEN_OP_Xor ||
         v.op == AKGEN_OP_Not;
}

OpPlan MakeOpPlan(const AkgenVec& v, const VecRow& row, const IssueState& s) {
  OpPlan p;
  auto add = [&](const void* base, uint8_t type, uint32_t blk, uint32_t rep, bool read,
                 bool write) {
    p.op[p.count++] = {
        static_cast<uint8_t*>(const_cast<void*>(base)), BitsOf(type), blk, rep, read, write};
  };
  const bool accumulates = row.family == Family::acc2 || row.family == Family::accs;
  add(v.dst, v.dst_type, v.dst_blk, v.dst_rep, accumulates, true);
  if (row.src0 != Use::none) add(v.src0, v.src_type, v.src0_blk, v.src0_rep, true, false);
  if (row.src1 != Use::none) add(v.src1, v.src1_type, v.src1_blk, v.src1_rep, true, false);
  uint32_t widest = 0;
  for (int i = 0; i < p.count; ++i) widest = std::max(widest, p.op[i].bits);
  p.extent = Resolve(v, s, widest);
  if (v.form == AKGEN_FORM_COUNT) return p;
  for (int i = 0; i < p.count; ++i) {
    const Operand& o = p.op[i];
    uint32_t blocks = p.extent.per_repeat * o.bits / 256;
    if (blocks > 1 && o.blk != 1) p.contiguous_repeat = false;
    if (p.extent.repeats > 1 && o.rep * 256 != p.extent.per_repeat * o.bits) p.contiguous = false;
  }
  p.contiguous = p.contiguous && p.contiguous_repeat;
  return p;
}

class Runner {
 public:
  // `saturate`: of this dtype, AKGEN_NO_DTYPE: none.
  Runner(Core& core, const AkgenVec& v, const OpPlan& plan, RunFn fn, const RunArgs& args,
         uint8_t saturate)
      : watch_(core.watch),
        findings_(core.findings),
        memory_(core.memory(kVectorMemory)),
        plan_(plan),
        fn_(fn),
        args_(args),
        name_(VecOpName(v.op)),
        cancels_(CancelsItself(v)),
        bitwise_(Bitwise(v)),
        absorbing_(RowOf(v.op).absorbing),
        carries_(saturate == AKGEN_NO_DTYPE && Carries(v)),
        narrows_(Narrows(v)),
        rounds_(core.counts.arithmetic.rounds),
        saturate_(saturate) {}

  void All() {
    const Extent& e = plan_.extent;
    uint64_t full[2] = {e.per_repeat >= 64 ? ~0ull : (1ull << e.per_repeat) - 1,
                        e.per_repeat >= 128 ? ~0ull : 0};
    if (plan_.contiguous && e.total) return Run(0, 0, e.total);
    if (plan_.contiguous && !e.total && e.bits[0] == full[0] && e.bits[1] == full[1])
      return Run(0, 0, e.repeats * e.per_repeat);
    for (uint32_t r = 0; r < e.repeats && ok_; ++r) Repeat(r);
  }

 private:
  // Active elements of repeat r as maximal runs; cut at DataBlocks unless the repeat is contiguous.
  void Repeat(uint32_t r) {
    const Extent& e = plan_.extent;
    uint32_t per_block = e.per_repeat;
    if (!plan_.contiguous_repeat)
      for (int i = 0; i < plan_.count; ++i) per_block = std::min(per_block, 256 / plan_.op[i].bits);
    for (uint32_t i = 0; i < e.per_repeat && ok_;) {
      if (!e.Active(r, i)) {
        ++i;
        continue;
      }
      uint32_t stop = std::min(e.per_repeat, (i / per_block + 1) * per_block), j = i + 1;
      while (j < stop && e.Active(r, j)) ++j;
      Run(r, i, j - i);
      i = j;
    }
  }

  void Run(uint32_t r, uint32_t first, uint32_t n) {
    uint8_t* at[3] = {nullptr, nullptr, nullptr};
    InitCheck::Operand flow[3];
    const uint32_t align = r == 0 && first == 0 ? kStart : 1;
    for (int i = 0; i < plan_.count; ++i) {
      const Operand& o = plan_.op[i];
      at[i] = o.At(r, first);
      // An operand starts aligned, also where the mask leaves its first elements out.
      if (!started_ && align == 1 && memory_.Holds(o.base))
        watch_.mem.OnStart(memory_, o.base, 1, o.write, kStart, name_);
      if (!watch_.Allow(memory_, {at[i], o.Bytes(n), o.write, AKGEN_PIPE_V, name_, align})) {
        ok_ = false;
        return;
      }
      flow[i] = {memory_.OffsetOf(at[i]), o.bits, o.read};
    }
    started_ = true;
    for (int i = plan_.count - 1; i >= 0; --i) {
      const Operand& o = plan_.op[i];
      if (o.read) watch_.Touch(memory_, {at[i], o.Bytes(n), false, AKGEN_PIPE_V, name_});
      if (o.write) watch_.Touch(memory_, {at[i], o.Bytes(n), true, AKGEN_PIPE_V, name_});
    }
    const uint32_t parts = bitwise_ ? flow[0].bits / 8 : 1;
    for (InitCheck::Operand& o : flow) o.bits /= parts;
    using Reach = InitCheck::Reach;
    const Reach reach = cancels_ && at[1] == at[2] ? Reach::kNowhere
                        : carries_                 ? Reach::kUpwards
                                                   : Reach::kElement;
    const std::vector<uint32_t> decided = Decided(at, n);
    watch_.init.OnCompute(memory_, flow, plan_.count, n * parts, reach);
    for (const uint32_t byte : decided)
      watch_.init.OnDefine(memory_, memory_.OffsetOf(at[0]) + byte, 1);
    if (Overlap(at, n))
      Staged(at, n);
    else
      Call(at[0], at[1], at[2], n);
    if (saturate_ != AKGEN_NO_DTYPE) SaturateFloats(at[0], n, saturate_);
  }

  // Bytes of the result that one operand decides by itself, as 0 does in x & 0: of those where the
  // other is undefined.
  std::vector<uint32_t> Decided(uint8_t* const* at, uint32_t n) const {
    std::vector<uint32_t> bytes;
    const uint32_t all = uint32_t(plan_.op[0].Bytes(n));
    if (absorbing_ < 0 || plan_.count < 3 || !watch_.init.on()) return bytes;
    auto defined = [&](int i, uint32_t k) {
      return memory_.defined.Bit(memory_.OffsetOf(at[i]) + k);
    };
    if (memory_.defined.Defined(memory_.OffsetOf(at[1]), all) &&
        memory_.defined.Defined(memory_.OffsetOf(at[2]), all))
      return bytes;
    for (uint32_t k = 0; k < all; ++k)
      if ((at[1][k] == absorbing_ && defined(1, k)) || (at[2][k] == absorbing_ && defined(2, k)))
        bytes.push_back(k);
    return bytes;
  }

  // Does the destination share bytes with a source without being the same operand?
  bool Overlap(uint8_t* const* at, uint32_t n) const {
    const Operand& d = plan_.op[0];
    for (int i = 1; i < plan_.count; ++i) {
      const Operand& o = plan_.op[i];
      if (at[0] == at[i] && d.bits == o.bits) continue;
      if (at[i] < at[0] + d.Bytes(n) && at[0] < at[i] + o.Bytes(n)) return true;
    }
    return false;
  }

  // Overlap is allowed inside a repeat only: a repeat must not read what an earlier one wrote,
  // because the unit may have read it by then.
  void CheckOverlap(uint8_t* const* at, uint32_t n, uint32_t step) {
    const Operand& d = plan_.op[0];
    for (int i = 1; i < plan_.count && watch_.mem.on(); ++i) {
      const Operand& o = plan_.op[i];
      if (at[0] == at[i] && d.bits == o.bits) continue;
      const int64_t gap = at[i] - at[0], wrote = int64_t(d.Bytes(step)),
                    reads = int64_t(o.Bytes(step));
      for (int64_t w = 0; w * step < n;
           ++w) {  // repeat r > w reads [gap + r * reads, gap + (r + 1) * reads)
        const int64_t end = std::min((w + 1) * wrote, int64_t(d.Bytes(n)));
        int64_t r = std::max(w + 1, (w * wrote - gap) / reads);
        if (r * step >= n || gap + r * reads >= end ||
            std::min(gap + (r + 1) * reads, gap + int64_t(o.Bytes(n))) <= w * wrote)
          continue;
        findings_.Report(FindingKind::kBrokenRule,
                         std::string(name_) + ": the destination at " + memory_.name() + " " +
                             std::to_string(memory_.OffsetOf(at[0])) + " overlaps the source at " +
                             std::to_string(memory_.OffsetOf(at[i])) + ", so that repeat " +
                             std::to_string(r) + " reads what repeat " + std::to_string(w) +
                             " wrote",
                         false, memory_, memory_.OffsetOf(at[0]), d.Bytes(n));
        return;
      }
    }
  }

  // As the unit works: repeat after repeat, each reading all its sources before it writes.
  void Staged(uint8_t* const* at, uint32_t n) {
    uint8_t source[2][256];
    uint32_t step = 256;
    for (int i = 0; i < plan_.count; ++i) step = std::min(step, 2048 / plan_.op[i].bits);
    CheckOverlap(at, n, step);
    for (uint32_t first = 0; first < n; first += step) {
      const uint32_t k = std::min(step, n - first);
      for (int i = 1; i < plan_.count; ++i)
        std::memcpy(source[i - 1], at[i] + plan_.op[i].Bytes(first), plan_.op[i].Bytes(k));
      Call(at[0] + plan_.op[0].Bytes(first), source[0], source[1], k);
    }
  }

  // Neither source lies in the result: a cast to fewer bits whose operands overlap is staged.
  void Call(uint8_t* to, const uint8_t* a, const uint8_t* b, uint32_t n) {
    fn_(to, a, b, n, args_);
    if (narrows_ && !rounds_)
      rounds_ = LosesDigits(args_.dst_type, to, reinterpret_cast<const float*>(a), n);
  }

  static constexpr uint32_t kStart = 32;  // bytes that the start of an operand is a multiple of
  Observers& watch_;
  Reporter& findings_;
  Memory& memory_;
  const OpPlan& plan_;
  RunFn fn_;
  const RunArgs& args_;
  const char* name_;
  const bool cancels_, bitwise_;
  const int absorbing_;
  const bool carries_, narrows_;
  bool& rounds_;
  const uint8_t saturate_;
  bool ok_ = true, started_ = false;
};

class OwnMachine final : public VecMachine {
 public:
  OwnMachine(Core& core, const AkgenVec& v, const Extent& extent, const RunArgs& args)
      : core_(core),
        memory_(core.memory(kVectorMemory)),
        name_(VecOpName(v.op)),
        extent_(extent),
        args_(args),
        dependence_(memory_, core.watch.init.on()) {
    if (RowOf(v.op).src1 == Use::offset) offsets_ = v.src1;
    static_cast<SpecialRegisters&>(*this) = core.registers.special;
  }
  void Run(OwnFn body, const AkgenVec& v) {
    body(*this, v);
    dependence_.Settle(body, v, extent_, args_, core_.registers.special, this);
    core_.registers.special = *this;
  }
  bool Read(const void* p, size_t bytes) override {
    if (!Announce({p, bytes, false, AKGEN_PIPE_V, name_})) return false;
    if (p == offsets_)
      return core_.watch.init.OnOffsets(memory_, memory_.OffsetOf(p), bytes, name_);
    dependence_.OnRead(memory_.OffsetOf(p), bytes);
    return true;
  }
  bool Write(void* p, size_t bytes) override {
    if (!Announce({p, bytes, true, AKGEN_PIPE_V, name_})) return false;
    dependence_.OnWrite(memory_.OffsetOf(p), bytes);
    return true;
  }
  void Clobber(void* p, size_t bytes) override {
    if (!p || !Announce({.at = p,
                         .bytes = bytes,
                         .write = true,
                         .pipe = AKGEN_PIPE_V,
                         .what = name_,
                         .lost = true}))
      return;
    std::memset(p, 0xc5, bytes);  // what was there is gone, whoever looks
    memory_.Forget(memory_.OffsetOf(p), bytes);
    core_.watch.init.OnUndefine(memory_, memory_.OffsetOf(p), bytes);
  }
  bool Defined(const void* p, size_t bytes) override {
    return !core_.watch.init.on() || memory_.defined.Defined(memory_.OffsetOf(p), bytes);
  }
  void SetDefined(void* p, size_t bytes, bool defined) override {
    dependence_.OnMarked();
    if (!core_.watch.init.on() || bytes == 0) return;
    if (defined)
      memory_.defined.Set(memory_.OffsetOf(p), bytes, true);
    else
      memory_.Undefine(memory_.OffsetOf(p), bytes, dependence_.origin());
  }
  uint8_t MaskByte(uint8_t computed, uint8_t undefined) const override {
    const std::optional<bool> taken = memory_.taken_for();
    return uint8_t((computed & (taken ? ~undefined : 0xff)) |
                   (taken.value_or(false) ? undefined : 0));
  }
  void Broken(const char* code, const char* message, const char* fix) override {
    core_.findings.Report(FindingKind::kBrokenRule,
                          std::string(name_) + ": " + message + " (" + fix + ")");
  }
  void Warn(const char*, const char* message, const char* fix) override {
    core_.findings.Report(FindingKind::kBrokenRule,
                          std::string(name_) + ": " + message + " (" + fix + ")", true);
  }
  uint32_t Left() const override { return core_.tpipe.PoolOf(0, memory_).left(); }
  const Extent& extent() const override { return extent_; }
  RunArgs args() const override { return args_; }

 private:
  bool Announce(const Access& a) {
    if (!core_.watch.Allow(memory_, a)) return false;
    core_.watch.Touch(memory_, a);
    return true;
  }

  Core& core_;
  Memory& memory_;
  const char* name_;
  const Extent& extent_;
  RunArgs args_;
  Dependence dependence_;
  const void* offsets_ = nullptr;  // where the instruction takes addresses from
};

void CheckForm(Core& core, const AkgenVec& v, const IssueState& s) {
  const char* name = VecOpName(v.op);
  if (v.form != AKGEN_FORM_MASK && v.form != AKGEN_FORM_BITS) return;
  if (s.counter_left)
    ReportLeftMode(core, core.registers.counter_site, "the counter mode of masks is", name,
                   "counts elements where it means a mask");
  if (v.repeat > 255 && !s.counter)
    core.findings.Report(FindingKind::kRepeatRange, std::string(name) + ": repeatTime is " +
                                                        std::to_string(v.repeat) + ", at most 255");
  const uint32_t source = v.src_type == AKGEN_NO_DTYPE ? 0 : BitsOf(v.src_type);
  const bool lane_by_lane =
      RowOf(v.op).family != Family::own || !source;  // as many lanes as the wider operand has
  const uint64_t most = 2048 / std::max({source, lane_by_lane ? BitsOf(v.dst_type) : 0, 16u});
  if (v.form == AKGEN_FORM_MASK && v.set_mask && !s.counter && v.mask[0] > most)
    core.findings.Report(FindingKind::kMaskRange,
                         std::string(name) + ": mask is " + std::to_string(v.mask[0]) +
                             ", a repeat holds " + std::to_string(most) + " elements");
}

void CheckStarts(Core& core, const AkgenVec& v) {
  const Starts starts = StartsOf(v);
  const Memory& m = core.memory(kVectorMemory);
  for (const Start* s = starts.at; s < starts.at + starts.count; ++s)
    if (m.Holds(s->at)) core.watch.mem.OnStart(m, s->at, 1, s->write, s->align, VecOpName(v.op));
}

// In a run with exact results: whose inaccuracy the outputs would have shown.
void ReportImprecise(Core& core, const AkgenVec& v) {
  const bool half = v.dst_type == AKGEN_F16;
  core.findings.Report(FindingKind::kImprecise,
                       std::string(VecOpName(v.op)) + " in " + (half ? "half" : "float") +
                           " is off by more than " + (half ? "1e-3" : "1e-4") +
                           ", as its page says; were it exact, the outputs would agree");
}

// Elements that begin within an element: no chip reads them, and neither does this one.
bool CutsElements(const AkgenVec& v) {
  auto cut = [](const void* at, uint8_t type) {
    return (reinterpret_cast<uintptr_t>(at) & (std::max(1u, BitsOf(type) / 8) - 1)) !=
           0;  // a power of two
  };
  return cut(v.dst, v.dst_type) || cut(v.src0, v.src_type) || cut(v.src1, v.src1_type);
}
}  // namespace

void Core::RunVector(const AkgenVec& v, const IssueState& state) {
  const VecRow& row = RowOf(v.op);
  if (!(row.arch & chip_.arch))
    return findings.Report(FindingKind::kDtype,
                           std::string(row.name) + " does not exist on this chip generation");
  if (watch.mem.on()) CheckForm(*this, v, state);
  if (CutsElements(v)) {
    if (watch.mem.on()) CheckStarts(*this, v);
    return;
  }
  RunArgs args{v.scalar,   state.deq_scale,  v.round_mode,
               v.mode,     v.flag,           v.src_type,
               v.dst_type, state.deq_offset, g_launch->request->exact};
  if (args.exact && row.imprecise) ReportImprecise(*this, v);
  if (row.family == Family::own) {
    if (state.saturate && !row.moves && (v.dst_type == AKGEN_F16 || v.dst_type == AKGEN_BF16))
      StopLaunch("unsupported",
                 std::string(row.name) + " with SetSaturationFlag<SaturationMode::FLOAT>(true)");
    OwnFn fn = FindOwn(v);
    if (!fn)
      return findings.Report(FindingKind::kDtype, std::string(VecOpName(v.op)) +
                                                      " has no form for these dtypes on this chip");
    Extent e = Resolve(v, state, BitsOf(v.src_type));
    if (watch.mem.on()) CheckVectorRules(*this, v, state, e.total);
    if (watch.mem.on() && (e.repeats || v.form == AKGEN_FORM_WHOLE)) CheckStarts(*this, v);
    OwnMachine m(*this, v, e, args);
    m.Run(fn, v);
    return;
  }
  RunFn fn = FindRun(v);
  if (!fn) {
    if (const std::string roundings = OtherRoundings(v); !roundings.empty())
      return findings.Report(FindingKind::kRounding,
                             std::string(VecOpName(v.op)) +
                                 " has no such rounding mode for these dtypes on this chip, "
                                 "but " +
                                 roundings);
    return findings.Report(FindingKind::kDtype, std::string(VecOpName(v.op)) +
                                                    " has no form for these dtypes on this chip");
  }
  if (RunFn other = state.truncate ? FindTruncatingCast(v) : nullptr) fn = other;
  if (RunFn other = state.saturate ? FindSaturating(v) : nullptr) fn = other;
  OpPlan plan = MakeOpPlan(v, row, state);
  if (plan.extent.total == 0 && plan.extent.repeats == 0) return;
  if (watch.mem.on()) CheckVectorRules(*this, v, state, plan.extent.total);
  if (v.tmp) {
    if (watch.mem.on()) CheckStarts(*this, v);
    Extent e = plan.extent;
    OwnMachine(*this, v, e, args).Clobber(v.tmp, TmpUse(v, e.total));
  }
  Runner(*this, v, plan, fn, args,
         state.saturate && !row.moves ? v.dst_type : uint8_t(AKGEN_NO_DTYPE))
      .All();
}

}  // namespace akgen::sim
