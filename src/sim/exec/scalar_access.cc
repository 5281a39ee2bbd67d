// Loads and stores of the scalar unit: through tensors, which announce themselves, and through
// plain pointers, which the builder announces.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "sim/exec/launch_state.h"
#include "sim/exec/polling.h"

using namespace akgen::sim;

namespace {
// Through a tensor, so that automatic synchronisation sees it?
bool OfTensor(const Access& a) { return a.pipe == AKGEN_PIPE_S; }

// The compiler orders GetValue/SetValue against V, MTE2 and MTE3 (automatic synchronisation): the
// scalar unit waits for the conflicting instruction, and everything issued later comes after it.
void AutoSync(Core& c, const Conflict& conflict) {
  c.trace.Note(TraceKind::kJoin, conflict.pipe);
  Pipe& s = c.pipes[AKGEN_PIPE_S];
  if (conflict.epoch > s.clock.at[conflict.pipe]) s.clock.at[conflict.pipe] = conflict.epoch;
  s.clock.Join(c.pipes[conflict.pipe].clock);
}

void OrderScalar(Core& c, Memory& m, const Access& a) {
  using Scalar = RaceCheck::Scalar;
  const PipeList& reaching = m.row().pipes;
  for (int round = 0; round < 2 * reaching.count; ++round) {
    Conflict k;
    const Scalar order = c.watch.race.OnScalarAccess(m, a, &k);
    if (order == Scalar::kRaces && c.watch.race.auto_sync()) return;
    if (order != Scalar::kWaits) break;
    if (c.pipes[k.pipe].blocked_on) {
      const std::string waits = c.watch.sync.WaitsFor();
      c.watch.sync.OnDeadlock("the scalar unit needs a result of " + std::string(PipeName(k.pipe)) +
                              ", but " + waits);
      StopLaunch("deadlock", waits);
    }
    AutoSync(c, k);
  }
  // Without it what the unit has read is there before it issues anything, and what it has written
  // may not be.
  if (!OfTensor(a) || (a.write && !c.watch.race.auto_sync())) return;
  // The reverse direction (scalar before later work of the others) is inserted by the compiler as
  // well.
  for (uint32_t i = 0; i < reaching.count; ++i)
    if (const uint32_t pipe = reaching.at[i]; pipe != AKGEN_PIPE_S && pipe != kRawScalar)
      c.pipes[pipe].clock.at[AKGEN_PIPE_S] = c.now.epoch;
}

// `plain`: through a pointer of the kernel, priced by the words that it brings. An announced access
// is of one element, or of as many words as it announces. Of Global Memory, a word in a line that
// the data cache holds is as near as UB.
void Price(Core& c, const Access& a, bool plain, bool of_gm) {
  if (!c.trace) return;
  const auto words = uint32_t(std::max<uint64_t>(1, (a.bytes + 7) / 8));
  const uint32_t n = plain ? c.trace.NewWords(a.at, a.bytes) : words;
  const bool uncached = !a.cached || c.trace.lines().none();
  const uint32_t far = !of_gm     ? 0
                       : uncached ? n
                                  : std::min(n, c.trace.lines().Bring(a.at, a.bytes));
  if (far) c.trace.Note(TraceKind::kScalarGm, AKGEN_PIPE_S, far);
  if (n > far) c.trace.Note(TraceKind::kScalarUb, AKGEN_PIPE_S, n - far);
}

void MemoryAccess(Core& c, Memory& m, const Access& a, bool plain) {
  if (!c.watch.Allow(m, a)) StopLaunch("stopped", "illegal scalar access");
  if (a.bytes == 0) return;
  if (OfTensor(a) && m.id() != kVectorMemory)
    c.findings.Report(FindingKind::kNoScalarAccess,
                      std::string(a.what) + (a.write ? " writes to the " : " reads the ") +
                          m.row().title +
                          ": the scalar unit reaches the Unified Buffer and Global Memory only",
                      false, m, m.OffsetOf(a.at), a.bytes);
  if (c.watch.race.on()) OrderScalar(c, m, a);
  Price(c, a, plain, false);
  c.watch.init.OnScalar(m, a);
}

void GmAccess(Core& c, const Access& a, bool plain) {
  Region* r = c.watch.AllowGm(a);
  if (!r) StopLaunch("stopped", "illegal scalar access");
  if (r->writable()) BeforeGmAccess(a);
  const bool looks = !a.write && c.cross.looks;
  if (looks) c.watch.gm_race.OnLook(*r, a);
  c.watch.TouchGm(*r, a, looks);
  // Tiling data is one access, however long: the start of a block holds it.
  if (r->role == Role::kTiling)
    c.trace.Note(TraceKind::kScalarGm, AKGEN_PIPE_S);
  else
    Price(c, a, plain, true);
  c.watch.init.OnScalarGm(*r, a);
}

// A pointer that the chip gave to nobody: the simulator's own memory, or another core's.
[[noreturn]] void ForeignAccess(Core& c, const Access& a) {
  char where[32];
  std::snprintf(where, sizeof where, "0x%lx", reinterpret_cast<unsigned long>(a.at));
  std::string whose = "which is not a buffer, tensor or variable of the kernel";
  for (const Core* other : g_launch->live)
    if (const Memory* m = other && other != &c ? other->memories.Holding(a.at) : nullptr)
      whose = "in the " + std::string(m->row().title) + " of block " +
              std::to_string(other->now.block) + ": a core reaches no other core's memory";
  c.findings.Report(FindingKind::kInvalidPointer,
                    std::string(a.what) + (a.write ? " writes " : " reads ") +
                        std::to_string(a.bytes) + " bytes at " + where + ", " + whose,
                    false, "", uint64_t(reinterpret_cast<uintptr_t>(a.at)), a.bytes);
  StopLaunch("stopped", "access to foreign memory");
}

// Whether a store meets what brings a caller on the block's stack back: its frame pointer and
// return address. Kernels keep frame pointers, so the chain from here to the launch can be walked.
__attribute__((noinline, no_sanitize("address"))) bool MeetsAFrame(const Core& c, uintptr_t p,
                                                                   uint64_t bytes) {
  auto* frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  for (int hop = 0; hop < 64 && frame; ++hop) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(frame);
    if (at >= c.fiber.stack_top || c.fiber.stack_top - at > c.fiber.stack_bytes) return false;
    if (p < at + 2 * sizeof(uintptr_t) && at < p + bytes) return true;
    auto* next = reinterpret_cast<uintptr_t*>(frame[0]);
    if (next <= frame || frame[0] % sizeof(uintptr_t)) return false;
    frame = next;
  }
  return false;
}

// Which memory an address is meant for that lies in none: one close to a memory is an index that
// ran away. nullptr is Global Memory; nothing: none of the kernel's.
std::optional<Memory*> MeantFor(const Core& c, const uint8_t* p) {
  constexpr uintptr_t kNear = 1 << 20;
  for (const Core* other : g_launch->live)
    if (other && other != &c && other->memories.Holding(p)) return std::nullopt;
  auto distance = [p](const uint8_t* base, size_t bytes) {
    return uintptr_t(p < base ? base - p : p - base - ptrdiff_t(bytes));
  };
  const Region* near = Gm().FindNear(p);
  uintptr_t least = near ? distance(near->base, near->Extent()) : UINTPTR_MAX;
  Memory* best = nullptr;
  for (const auto& m : c.memories.all())
    if (const uintptr_t d = distance(m->base(), m->bytes()); d < least) least = d, best = m.get();
  if (least >= kNear) return std::nullopt;
  return best;
}

void PlainAccess(const void* address, uint64_t bytes, bool write) {
  Core* core = g_core;
  if (!core) return;  // the host's half of a program
  Core& c = *core;
  const uintptr_t p = reinterpret_cast<uintptr_t>(address);
  const LaunchRequest& request = *g_launch->request;
  constexpr uintptr_t kNullPage = 4096;  // faults by itself
  Access a{address, bytes, write, kRawScalar, write ? "a plain store" : "a plain load"};
  a.cached = true;
  if (c.fiber.stack_top - p < c.fiber.stack_bytes && write && MeetsAFrame(c, p, bytes)) {
    c.AtScalar();
    ForeignAccess(c, a);
  }
  if (c.fiber.stack_top - p < c.fiber.stack_bytes || p - request.own_begin < request.own_bytes ||
      p < kNullPage)
    return;
  std::optional<Memory*> memory = c.memories.Holding(a.at);
  if (!*memory) {
    Region* r = Gm().Find(address);
    const size_t at = r ? size_t(static_cast<const uint8_t*>(address) - r->base) : 0;
    if (r && !write && !r->writable() && at <= r->bytes &&
        bytes <= r->bytes - at) {  // tiling, which a block's start holds, and inputs
      r->was_read = true;
      if (r->role == Role::kInput) Price(c, a, true, true);
      return;
    }
    if (!r && !request.own_bytes) return;  // nobody said where the kernel's own variables lie
    if (!r) memory = MeantFor(c, static_cast<const uint8_t*>(address));
  }
  c.AtScalar();
  if (!memory) ForeignAccess(c, a);
  c.pipes[AKGEN_PIPE_S].latest = ++c.now.epoch;
  if (*memory)
    MemoryAccess(c, **memory, a, true);
  else
    GmAccess(c, a, true);
}
}  // namespace

void akgen::sim::ScalarAccess(const void* p, uint64_t bytes, bool write, uint32_t kind,
                              bool cached) {
  Core& c = *g_core;
  c.AtScalar();
  const bool tensor = kind != AKGEN_SCALAR_PLAIN;
  Access a{p, bytes, write, tensor ? uint32_t(AKGEN_PIPE_S) : kRawScalar,
           write ? "SetValue" : "GetValue"};
  a.cached = cached;
  if (tensor && c.slices.used()) c.slices.OnInstruction(c, AKGEN_PIPE_S, a.what, {p}, false);
  Memory* m = kind == AKGEN_SCALAR_GLOBAL_TENSOR ? nullptr : c.memories.Holding(p);
  if (tensor || !m) c.pace.CatchUp();
  c.pipes[AKGEN_PIPE_S].latest = ++c.now.epoch;
  if (m)
    MemoryAccess(c, *m, a, false);
  else
    GmAccess(c, a, false);
}

extern "C" {
void akgen_scalar_read(const void* p, uint32_t bytes, uint32_t kind) {
  ScalarAccess(p, bytes, false, kind, true);
}
void akgen_scalar_write(void* p, uint32_t bytes, uint32_t kind) {
  ScalarAccess(p, bytes, true, kind, true);
}
void akgen_raw_read(const void* p, uint64_t bytes) { PlainAccess(p, bytes, false); }
void akgen_raw_write(void* p, uint64_t bytes) { PlainAccess(p, bytes, true); }
}  // extern "C"
