// GM<->UB and UB<->UB movement: bounds, padding, atomics, defined bits.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/dtype.h"
#include "sim/exec/atomic_store.h"
#include "sim/exec/launch_state.h"
#include "sim/exec/left_modes.h"

namespace akgen::sim {
namespace {
using base::Dtype;

uint32_t ElementBytes(uint8_t dtype) {
  int n = base::SizeOf(Dtype(dtype));
  return n > 0 ? uint32_t(n) : 1;
}

size_t RoundUp32(size_t n) { return (n + 31) & ~size_t{31}; }

const char* NameOfCopy(const AkgenCopy& c) { return c.is_pad_api ? "DataCopyPad" : "DataCopy"; }

// The bytes of one block in the core beyond the data: left padding, right padding, filler up to 32
// bytes.
void PadBlock(const AkgenCopy& c, uint8_t* ub, uint32_t left, size_t data, size_t total,
              uint32_t element, bool& defined) {
  uint64_t value = c.pad_value;
  defined = true;
  // Documented: without left and right padding the filler repeats the block's first element,
  // whatever isPad says; with padding, isPad = false leaves padding and filler undefined.
  bool from_register = c.is_pad == 2;  // SetPadValue
  if (!c.left_pad && !c.right_pad && !from_register && data)
    std::memcpy(&value, ub + left, element);
  else if (!c.is_pad)
    defined = false;
  auto fill = [&](size_t from, size_t to) {
    for (size_t i = from; i + element <= to; i += element) std::memcpy(ub + i, &value, element);
  };
  if (!defined) return;
  fill(0, left);
  fill(left + data, total);
}
}  // namespace

static void LoadBlock(Core& core, Memory& m, const AkgenCopy& c, const uint8_t* gm, uint8_t* ub,
                      Region& r) {
  const size_t element = ElementBytes(c.dtype), left = c.is_pad_api ? c.left_pad * element : 0;
  size_t total = c.is_pad_api ? RoundUp32(left + c.block_len + c.right_pad * element) : c.block_len;
  core.watch.Touch(m, {ub, total, true, core.now.pipe, NameOfCopy(c)});
  const Access read{gm, c.block_len, false, core.now.pipe, NameOfCopy(c)};
  const bool looks = core.watch.gm_race.Polled(gm);
  if (looks) core.watch.gm_race.OnLook(r, read);
  core.watch.TouchGm(r, read, looks);
  std::memcpy(ub + left, gm, c.block_len);
  core.watch.gm_race.GiveBefore(r, read, ub + left);
  bool pad_defined = true;
  if (total != c.block_len)
    PadBlock(c, ub, uint32_t(left), c.block_len, total, uint32_t(element), pad_defined);
  if (!pad_defined) {
    m.Forget(m.OffsetOf(ub), left);
    m.Forget(m.OffsetOf(ub) + left + c.block_len, total - left - c.block_len);
  }
  core.watch.init.OnLoad(m, {m.OffsetOf(ub), total, left, c.block_len, pad_defined}, r,
                         size_t(gm - r.base));
}

static void StoreBlock(Core& core, Memory& m, const AkgenCopy& c, const IssueState& state,
                       const uint8_t* ub, uint8_t* gm, Region& r) {
  const bool atomic = state.atomic_op != 0;
  if (state.atomic_left)
    ReportLeftMode(core, core.registers.atomic_site, "atomic copies are", NameOfCopy(c),
                   "adds where it means to store");
  core.watch.Touch(m, {ub, c.block_len, false, core.now.pipe, NameOfCopy(c)});
  core.watch.TouchGm(r, {gm, c.block_len, true, core.now.pipe, NameOfCopy(c)}, atomic, ub);
  if (atomic)
    AtomicStore(state.atomic_op, state.atomic_type, gm, ub, c.block_len), r.was_read = true;
  else
    std::memcpy(gm, ub, c.block_len);
  core.watch.init.OnStore(m, m.OffsetOf(ub), c.block_len, r, size_t(gm - r.base), atomic);
}

static void MoveInside(Core& core, Memory& m, const AkgenCopy& c, const uint8_t* src,
                       uint8_t* dst) {
  core.watch.Touch(m, {src, c.block_len, false, core.now.pipe, "DataCopy"});
  core.watch.Touch(m, {dst, c.block_len, true, core.now.pipe, "DataCopy"});
  std::memmove(dst, src, c.block_len);
  core.watch.init.OnMove(m, m.OffsetOf(src), m, m.OffsetOf(dst), c.block_len);
}

static void CheckPadding(Core& core, const AkgenCopy& c) {
  const uint32_t element = ElementBytes(c.dtype),
                 most = std::max(c.left_pad, c.right_pad) * element;
  if (c.kind == AKGEN_GM_TO_UB && most > 32)
    core.findings.Report(
        FindingKind::kCopyRange,
        "DataCopyPad: padding of " + std::to_string(most) + " bytes on one side, at most 32");
  if (c.block_len % element)
    core.findings.Report(FindingKind::kCopyRange,
                         "DataCopyPad: a block of " + std::to_string(c.block_len) +
                             " bytes holds no whole number of elements of " +
                             std::to_string(element));
  if (c.kind == AKGEN_GM_TO_UB && element == 8 && c.is_pad == 1 && c.pad_value)
    core.findings.Report(FindingKind::kBrokenRule,
                         "DataCopyPad: the padding value of a 64-bit type is 0");
}

// Range rules of the parameters; false when the copy cannot run.
static bool CheckCopyParams(Core& core, const AkgenCopy& c) {
  if (c.block_count > 4095)
    core.findings.Report(FindingKind::kCopyRange, std::string(NameOfCopy(c)) + ": blockCount is " +
                                                      std::to_string(c.block_count) +
                                                      ", the field takes 0 to 4095");
  if (c.is_pad_api && c.block_len > 2097151)
    core.findings.Report(
        FindingKind::kCopyRange,
        "DataCopyPad: blockLen is " + std::to_string(c.block_len) + " bytes, at most 2097151");
  if (c.is_pad_api) CheckPadding(core, c);
  if (!c.is_pad_api && c.block_len % 32)
    core.findings.Report(
        FindingKind::kBadCopyLength,
        "DataCopy moves " + std::to_string(c.block_len) + " bytes, which is not a multiple of 32",
        false, core.memories.own(), 0, c.block_len);
  return true;
}

void Core::RunCopy(const AkgenCopy& c, const IssueState& state) {
  const char* name = NameOfCopy(c);
  Memory& m = memories.own();
  if (c.block_count == 0 || c.block_len == 0) return;
  if (cube() && c.is_pad_api && watch.mem.on())
    findings.Report(FindingKind::kBrokenRule, "DataCopyPad does not reach L1 on this chip");
  if (watch.mem.on() && !CheckCopyParams(*this, c)) return;
  const size_t element = ElementBytes(c.dtype);
  bool load = c.kind == AKGEN_GM_TO_UB, store = c.kind == AKGEN_UB_TO_GM;
  size_t ub_len = load && c.is_pad_api
                      ? RoundUp32(c.left_pad * element + c.block_len + c.right_pad * element)
                      : (c.is_pad_api ? RoundUp32(size_t{c.block_len}) : c.block_len);
  // A contiguous series of blocks is one long block: fewer checks, same bytes.
  AkgenCopy w = c;
  if (!c.is_pad_api && c.src_stride == 0 && c.dst_stride == 0 &&
      uint64_t{c.block_len} * c.block_count <= UINT32_MAX) {
    w.block_len = c.block_len * c.block_count;
    w.block_count = 1;
    ub_len = w.block_len;
  }
  auto* dst = static_cast<uint8_t*>(c.dst);
  auto* src = static_cast<const uint8_t*>(c.src);
  for (uint32_t i = 0; i < w.block_count; ++i) {
    AkgenCopy block = w;
    size_t usable = w.block_len;
    const uint32_t align = i ? 1 : 32, pipe = now.pipe;
    if (load) {
      Region* r = watch.AllowGm({src, w.block_len, false, pipe, name}, &usable);
      if (!watch.Allow(m, {dst, ub_len, true, pipe, name, align})) return;
      if (!r || usable < w.block_len) watch.init.OnForeignLoad(m, m.OffsetOf(dst), ub_len);
      block.block_len = uint32_t(r ? usable : 0);
      if (block.block_len) LoadBlock(*this, m, block, src, dst, *r);
      counts.bytes_in += w.block_len;
    } else if (store) {
      Region* r = watch.AllowGm({dst, w.block_len, true, pipe, name}, &usable);
      if (!watch.Allow(m, {src, w.block_len, false, pipe, name, align})) return;
      block.block_len = uint32_t(r ? usable : 0);
      if (block.block_len) StoreBlock(*this, m, block, state, src, dst, *r);
      counts.bytes_out += w.block_len;
    } else {
      if (!watch.Allow(m, {src, w.block_len, false, pipe, name, 32}) ||
          !watch.Allow(m, {dst, w.block_len, true, pipe, name, 32}))
        return;
      MoveInside(*this, m, w, src, dst);
    }
    if (i + 1 == w.block_count) return;  // no address is formed beyond the last block
    dst = Behind(dst, (load || !store ? ub_len : w.block_len) + uint64_t(w.dst_stride));
    src = Behind(src, (load ? w.block_len : ub_len) + uint64_t(w.src_stride));
  }
}

}  // namespace akgen::sim
