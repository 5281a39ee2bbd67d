// Registers, system variables and refusals of the C interface.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "sim/exec/launch_state.h"
#include "sim/exec/polling.h"
#include "sim/exec/post_copy.h"
#include "sim/machine/positions.h"

using namespace akgen::sim;

namespace {
constexpr size_t kMaskBytes = sizeof SpecialRegisters().cmp_mask;

// A kernel that reads past its cache may be waiting for another block's flag in GM. What it then
// reads tells what is ordered (RaceCheck::OnLook).
void LookPastTheCache() {
  if (UnitsOf(*g_launch->request) < 2) return;
  g_core->cross.looks = true;
  LetOthersRun(1);
}

// Reading a register that a vector instruction writes: ordered by the compiler.
void AwaitVector() {
  Core& c = *g_core;
  Pipe& v = c.pipes[AKGEN_PIPE_V];
  c.AtScalar();
  c.trace.Note(TraceKind::kJoin, AKGEN_PIPE_V);
  c.pace.CatchUp();
  if (v.blocked_on) {
    const std::string waits = c.watch.sync.WaitsFor();
    c.watch.sync.OnDeadlock("the scalar unit needs a vector result, but " + waits);
    StopLaunch("deadlock", waits);
  }
  Pipe& s = c.pipes[AKGEN_PIPE_S];
  s.clock.Join(v.clock);
  s.clock.at[AKGEN_PIPE_V] = std::max(s.clock.at[AKGEN_PIPE_V], v.latest);
}

// Compare masks move between their register and UB on the vector pipe. False: no UB address,
// reported.
bool MaskInUb(Core& c, const void* ub, bool write, const char* what) {
  AwaitVector();
  c.now.pipe = AKGEN_PIPE_V;
  c.now.number = c.now.calls;
  Memory& m = c.memory(kVectorMemory);
  constexpr size_t kRoom = 128;  // GetCmpMask asks for it
  const Access access{ub, kMaskBytes, write, AKGEN_PIPE_V, what, 16, true},
      room{ub, write ? kRoom : kMaskBytes, write, AKGEN_PIPE_V, what, 16, true};
  if (!c.watch.Allow(m, room)) return false;
  Pipe& v = c.pipes[AKGEN_PIPE_V];
  v.latest = ++c.now.epoch;
  const uint32_t own = v.clock.at[AKGEN_PIPE_V];
  v.clock.at[AKGEN_PIPE_V] = c.now.epoch - 1;  // the compiler's barrier
  c.watch.Touch(m, access);
  v.clock.at[AKGEN_PIPE_V] = own;
  return true;
}

uint32_t PipeOf(const AkgenCube& c) {
  const PositionRow* to = RowOfPosition(c.dst_position);
  const bool l1 = to && to->memory == MemoryId::L1;
  switch (c.op) {
    case AKGEN_CUBE_ND2NZ: return AKGEN_PIPE_MTE2;
    case AKGEN_CUBE_LOAD2D:
      return c.src_position == AKGEN_POS_GM ? AKGEN_PIPE_MTE2 : AKGEN_PIPE_MTE1;
    case AKGEN_CUBE_FILL: return l1 ? AKGEN_PIPE_MTE2 : AKGEN_PIPE_MTE1;
    case AKGEN_CUBE_TO_TABLE:
      return to && to->memory == MemoryId::FB ? AKGEN_PIPE_FIX : AKGEN_PIPE_MTE1;
    case AKGEN_CUBE_MMAD: return AKGEN_PIPE_M;
    case AKGEN_CUBE_FIXPIPE: return AKGEN_PIPE_FIX;
    default: return AKGEN_PIPE_MTE1;
  }
}

// Does the copy move to or from the memory of the other type of core?
bool ForOtherCore(const Core& core, const AkgenCopy& c) {
  if (core.memories.all().size() == 1) return false;
  if (core.cube() && c.kind == AKGEN_UB_TO_UB) return true;
  const Memory* m = core.memories.Holding(c.kind == AKGEN_GM_TO_UB ? c.dst : c.src);
  return m && m != &core.memories.own();
}
}  // namespace

extern "C" {

// On the other type of core a call does nothing.
void akgen_vec(const AkgenVec* v) {
  if (g_core->cube()) return;
  if (Core& c = *g_core; c.slices.used()) {
    const bool counts = v->form == AKGEN_FORM_COUNT,
               masks = v->form == AKGEN_FORM_MASK || v->form == AKGEN_FORM_BITS;
    const bool idle = (counts && !v->count) || (masks && !v->repeat && !c.registers.issue.counter);
    c.slices.OnInstruction(c, AKGEN_PIPE_V, VecOpName(v->op), {v->dst, v->src0, v->src1, v->tmp},
                           idle);
  }
  g_core->Issue(AKGEN_PIPE_V, *v);
}

void akgen_copy(const AkgenCopy* c) {
  static constexpr uint32_t kPipe[] = {AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3, AKGEN_PIPE_V};
  if (ForOtherCore(*g_core, *c)) {
    PostCopy(*c);
    return;
  }
  if (Core& core = *g_core; core.slices.used())
    core.slices.OnInstruction(core, kPipe[c->kind % 3], c->is_pad_api ? "DataCopyPad" : "DataCopy",
                              {c->dst, c->src}, !c->block_count || !c->block_len);
  BeforeCopy(*c);
  AkgenCopy copy = *c;
  if (copy.is_pad_api && !copy.is_pad &&
      g_core->registers.pad_value_set) {  // SetPadValue names the padding instead
    copy.is_pad = 2;
    copy.pad_value = g_core->registers.pad_value;
    const bool other = BitsOf(copy.dtype) != BitsOf(g_core->registers.pad_value_type);
    if (other && copy.pad_value && copy.kind == AKGEN_GM_TO_UB) {
      g_core->AtScalar();
      g_core->findings.Report(
          FindingKind::kBrokenRule,
          "DataCopyPad: SetPadValue was given a value of another type than that of the copy");
    }
  }
  g_core->Issue(kPipe[c->kind % 3], copy);
}

// `dst`: 1 is the Unified Buffer, where nothing is cached.
void akgen_cube_register(uint32_t which, uint64_t value) {
  if (!g_core->cube() || which >= AKGEN_CUBE_REG_WRITTEN) return;
  g_core->cube_state.registers[which] = value;
  g_core->cube_state.registers[AKGEN_CUBE_REG_WRITTEN] |= uint64_t{1} << which;
  if (which == AKGEN_CUBE_REG_CLEAR_UNITS) g_core->units.Clear();
}
void akgen_cube(const AkgenCube* c) {
  if (!g_launch->request->cores.cube)
    StopLaunch("unsupported", "the Cube unit in this way of running a kernel");
  if (!g_core->cube()) return;
  auto held = std::make_shared<AkgenCube>(*c);
  std::memcpy(held->registers, g_core->cube_state.registers, sizeof held->registers);
  const uint32_t pipe = PipeOf(*held);
  if (Core& core = *g_core; core.slices.used())
    core.slices.OnInstruction(core, pipe, "an instruction of the Cube core",
                              {c->dst, c->src, c->src1, c->src2}, false);
  g_core->Issue(pipe, CubeOp{std::move(held)});
}

void akgen_dcci(void* p, uint32_t line, uint32_t dst) {
  constexpr uint32_t kEntire = 1, kOfUb = 1;
  g_core->AtScalar();
  if (dst != kOfUb) {
    line == kEntire ? g_core->watch.cache.OnCleanAll() : g_core->watch.cache.OnClean(p);
    line == kEntire ? g_core->trace.lines().DropAll() : g_core->trace.lines().Drop(p);
  }
  LookPastTheCache();
}
void akgen_gm_bypass(void* p, uint32_t bytes, int32_t write) {
  if (!write) LookPastTheCache();
  // Not among the scalar calls that automatic synchronisation covers.
  ScalarAccess(p, bytes, write != 0, AKGEN_SCALAR_PLAIN, false);
}

void akgen_set_mask(uint64_t high, uint64_t low) {
  g_core->registers.issue.mask[0] = low;
  g_core->registers.issue.mask[1] = high;
}
void akgen_set_mask_mode(int32_t counter) {
  Registers& r = g_core->registers;
  r.issue.counter = counter != 0;
  r.issue.counter_left = false;
  if (counter) r.counter_site = g_core->SiteIndex();
}
void akgen_set_atomic(uint32_t op, uint32_t dtype) {
  Registers& r = g_core->registers;
  if (op != 4) r.issue.atomic_op = uint8_t(op);  // 4: SetAtomicType
  r.issue.atomic_type = uint8_t(dtype);
  r.issue.atomic_left = false;
  if (op) r.atomic_site = g_core->SiteIndex();
}
void akgen_set_deq_scale(float scale, int32_t offset, int32_t sign) {
  constexpr int32_t kMaxOffset = 255, kLeastOffset = -256;  // nine bits
  Core& c = *g_core;
  c.registers.issue.deq_scale = scale;
  c.registers.issue.deq_offset = offset;
  c.registers.issue.deq_set = true;
  c.registers.issue.deq_signed = sign != 0;
  if (offset >= kLeastOffset && offset <= kMaxOffset) return;
  c.AtScalar();
  c.findings.Report(
      FindingKind::kBrokenRule,
      "SetDeqScale: the offset has nine bits (-256 to 255) and is " + std::to_string(offset));
}
void akgen_set_pad_value(uint64_t bits, uint32_t dtype) {
  g_core->registers.pad_value = bits;
  g_core->registers.pad_value_set = true;
  g_core->registers.pad_value_type = uint8_t(dtype);
}
void akgen_set_cmp_mask(const void* ub) {
  if (!MaskInUb(*g_core, ub, false, "SetCmpMask")) StopLaunch("stopped", "illegal access");
  SpecialRegisters& r = g_core->registers.special;
  std::memcpy(r.cmp_mask, ub, kMaskBytes);
  const Memory& m = g_core->memory(kVectorMemory);
  for (uint32_t i = 0; i < kMaskBytes; ++i) {
    const uint64_t byte = uint64_t{0xff} << i % 8 * 8;
    const bool defined = !g_core->watch.init.on() || m.defined.Bit(m.OffsetOf(ub) + i);
    r.cmp_mask_undefined[i / 8] = (r.cmp_mask_undefined[i / 8] & ~byte) | (defined ? 0 : byte);
  }
}
void akgen_get_cmp_mask(void* ub) {
  if (!MaskInUb(*g_core, ub, true, "GetCmpMask")) StopLaunch("stopped", "illegal access");
  const SpecialRegisters& r = g_core->registers.special;
  std::memcpy(ub, r.cmp_mask, kMaskBytes);
  Memory& m = g_core->memory(kVectorMemory);
  g_core->watch.init.OnDefine(m, m.OffsetOf(ub), kMaskBytes);
  for (uint32_t i = 0; i < kMaskBytes; ++i)  // a byte of a mask is undefined with all its bits
    if (uint8_t(r.cmp_mask_undefined[i / 8] >> i % 8 * 8) == 0xff)
      g_core->watch.init.OnUndefine(m, m.OffsetOf(ub) + i, 1);
}
uint64_t akgen_get_spr(uint32_t which) {
  const Core& c = *g_core;
  // GatherMask reads its count itself: nothing of the kernel's can stand between.
  constexpr uint32_t kGatherCount = 3;
  const bool early = which != kGatherCount && !c.watch.race.auto_sync() &&
                     c.pipes[AKGEN_PIPE_S].clock.at[AKGEN_PIPE_V] < c.pipes[AKGEN_PIPE_V].latest;
  AwaitVector();
  if (early && c.watch.race.on())
    g_core->findings.Report(
        FindingKind::kRaceReadAfterWrite,
        "PIPE_S reads a result register while PIPE_V may still write it: nothing orders the two");
  const SpecialRegisters& r = g_core->registers.special;
  struct Register {
    uint8_t undefined;
    const char* read_by;
  };
  static constexpr Register kRegisters[] = {{SpecialRegisters::kAcc, "GetAccVal"},
                                            {SpecialRegisters::kReduce, "GetReduceMaxMinCount"},
                                            {SpecialRegisters::kReduce, "GetReduceMaxMinCount"},
                                            {SpecialRegisters::kGather, "GatherMask's count"},
                                            {SpecialRegisters::kMerge, "GetMrgSortResult"}};
  if (which < std::size(kRegisters))
    g_core->watch.init.OnRegister(r.undefined & kRegisters[which].undefined,
                                  kRegisters[which].read_by);
  uint32_t acc;
  std::memcpy(&acc, &r.acc_val, 4);
  const uint64_t values[] = {acc,          r.reduce_value, r.reduce_index, r.gather_count,
                             r.mrg_result, r.mrg_suspends};
  return which < std::size(values) ? values[which] : 0;
}
void akgen_clear_spr(uint32_t) {
  g_core->registers.special.acc_val = 0;
  g_core->registers.special.undefined &= uint8_t(~SpecialRegisters::kAcc);
}
void akgen_set_ctrl(uint64_t v) {
  Registers& r = g_core->registers;
  r.ctrl = v;
  r.issue.saturate = r.issue.truncate = false;
}
void akgen_set_saturation(uint32_t mode, int32_t on) {
  constexpr uint64_t kInfNan = uint64_t{1} << 48;
  Registers& r = g_core->registers;
  if (mode != AKGEN_SATURATE_FLOAT) {
    r.issue.truncate = !on;
    return;
  }
  r.issue.saturate = on;
  r.ctrl = on ? r.ctrl & ~kInfNan : r.ctrl | kInfNan;
}
int32_t akgen_get_saturation(uint32_t mode) {
  const IssueState& s = g_core->registers.issue;
  return mode == AKGEN_SATURATE_FLOAT ? s.saturate : !s.truncate;
}
uint64_t akgen_get_ctrl(void) { return g_core->registers.ctrl; }

uint32_t akgen_core_type(void) { return g_core->cube() ? 1 : 2; }
uint32_t akgen_block_idx(void) { return IndexOf(*g_core); }
uint32_t akgen_block_group(void) { return g_core->group; }
uint32_t akgen_block_num(void) { return g_launch->request->blocks; }
uint32_t akgen_sub_block_idx(void) { return g_core->sub_block; }
uint32_t akgen_sub_block_num(void) { return g_core->cube() ? 1 : g_launch->request->cores.vector; }
uint32_t akgen_task_ratio(void) { return akgen_sub_block_num(); }
uint64_t akgen_tiling_key(void) { return g_launch->request->tiling_key; }
uint64_t akgen_system_cycle(void) { return g_core->now.epoch; }
uint64_t akgen_ub_size(void) { return g_core->memory(kVectorMemory).bytes(); }
static void* g_sys_workspace = nullptr;
void* akgen_sys_workspace(void) {
  return g_sys_workspace ? g_sys_workspace : g_launch->request->sys_workspace;
}
void akgen_set_sys_workspace(void* w) { g_sys_workspace = w; }

void akgen_trap(void) {
  Core& c = *g_core;
  c.AtScalar();
  c.findings.Report(FindingKind::kTrap, "the kernel stopped itself with Trap");
  StopLaunch("stopped", "Trap");
}

void akgen_broken_rule(const char* rule) {
  Core& c = *g_core;
  if (!c.watch.mem.on()) return;
  c.AtScalar();
  c.findings.Report(FindingKind::kBrokenRule, rule ? rule : "");
}

void akgen_undefined(uint32_t concern, uint64_t number, uint64_t limit) {
  if (!g_core && concern == AKGEN_UNDEFINED_DIVISION)
    std::raise(SIGFPE);  // host code of a program asks too
  if (!g_core || !g_core->watch.mem.on()) return;
  Core& c = *g_core;
  c.AtScalar();
  const std::string n = std::to_string(int64_t(number)), of = std::to_string(limit);
  if (concern == AKGEN_UNDEFINED_STACK)
    c.findings.Report(FindingKind::kStack, "a function's local arrays take " + n +
                                               " bytes; kernels are compiled for a stack of " + of);
  else if (concern == AKGEN_UNDEFINED_DIVISION)
    c.findings.Report(
        FindingKind::kBrokenRule,
        "integer division by zero: what a core makes of it is not documented; here it is 0");
  else if (concern == AKGEN_UNDEFINED_BFLOAT16)
    c.findings.Report(FindingKind::kBrokenRule,
                      "the scalar unit has no bfloat16 casts or arithmetic, and the compiler for "
                      "this chip refuses "
                      "them: ToFloat and ToBfloat16 convert");
  else
    c.findings.Report(FindingKind::kUndefinedBehaviour,
                      concern == AKGEN_UNDEFINED_INDEX
                          ? "index " + n + " of an array that has " + of + " elements"
                          : "a shift by " + n + " of a number that has " + of + " bits");
}

void akgen_unsupported(const char* api) { StopLaunch("unsupported", api ? api : ""); }
}  // extern "C"
