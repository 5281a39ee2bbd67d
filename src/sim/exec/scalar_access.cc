// Loads and stores of the scalar unit: through tensors, which announce themselves, and through plain pointers, which
// the builder announces.
#include <algorithm>
#include <cstdio>
#include <optional>

#include "sim/exec/launch_state.h"

using namespace akgen::sim;

namespace {
struct Access {
  const uint8_t* at;
  uint64_t bytes;
  bool write, tensor;  // tensor: automatic synchronisation sees it
  const char* what;
  bool plain = false;  // through a pointer of the kernel: priced by what it brings
  uint32_t unit() const { return tensor ? uint32_t(AKGEN_PIPE_S) : kRawScalar; }
};

// The compiler orders GetValue/SetValue against V, MTE2 and MTE3 (automatic synchronisation): the scalar unit waits
// for the conflicting instruction, and everything issued later comes after it.
void AutoSync(Core& c, const Conflict& conflict) {
  c.Note(TraceKind::kJoin, conflict.pipe);
  Pipe& s = c.pipes_[AKGEN_PIPE_S];
  if (conflict.epoch > s.clock.at[conflict.pipe]) s.clock.at[conflict.pipe] = conflict.epoch;
  s.clock.Join(c.pipes_[conflict.pipe].clock);
}

void TouchMemory(Core& c, Memory& m, const Access& a) {
  uint32_t at = m.OffsetOf(a.at);
  Pipe& s = c.pipes_[AKGEN_PIPE_S];
  for (int round = 0; round < 2 * m.row().pipes.count; ++round) {
    Clock clock = s.clock;
    clock.at[AKGEN_PIPE_S] = clock.at[kRawScalar] = c.epoch_;  // scalar accesses follow each other
    Conflict k = a.write ? m.history.Write(at, a.bytes, a.unit(), clock, c.epoch_, c.current_site_)
                         : m.history.Read(at, a.bytes, a.unit(), clock, c.epoch_, c.current_site_);
    if (!k.found) break;
    if (!a.tensor || c.WasRaw(k.epoch)) return c.ReportRace(m, k, a.write, a.unit(), at, a.bytes, a.what, false);
    if (c.pipes_[k.pipe].blocked_on) {
      c.ReportDeadlock("the scalar unit needs a result of " + std::string(PipeName(k.pipe)) + ", but " + c.WaitsFor());
      StopLaunch("deadlock", c.WaitsFor());
    }
    AutoSync(c, k);
  }
  // The reverse direction (scalar before later vector work) is inserted by the compiler as well.
  if (a.tensor)
    for (uint32_t p2 : {AKGEN_PIPE_V, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3}) c.pipes_[p2].clock.at[AKGEN_PIPE_S] = c.epoch_;
}

void Price(Core& c, const Access& a, TraceKind kind) {
  if (!c.trace_) return;
  const uint32_t n = a.plain ? c.NewWords(a.at, a.bytes) : 1;
  if (n) c.Note(kind, AKGEN_PIPE_S, n);
}

std::string ReadsUndefined(const Access& a, uint64_t at, const std::string& where) {
  return std::string(a.what) + " reads " + std::to_string(a.bytes) + " bytes of " + where + " at offset " +
         std::to_string(at) + " that nothing defined";
}

void MemoryAccess(Core& c, Memory& m, const Access& a) {
  if (!c.CheckAccess(m, a.at, a.bytes, a.write, 1, a.what)) StopLaunch("stopped", "illegal scalar access");
  if (a.bytes == 0) return;
  if (c.checks_.race) TouchMemory(c, m, a);
  Price(c, a, TraceKind::kScalarUb);
  if (!c.checks_.init) return;
  uint32_t at = m.OffsetOf(a.at);
  if (a.write) return m.defined.Set(at, a.bytes, true);
  if (m.defined.Defined(at, a.bytes)) return;
  c.BlameShortWrite(m, at);
  c.Report(FindingKind::kUndefinedScalar, ReadsUndefined(a, at, m.name()), false, m, at, a.bytes);
}

void GmAccess(Core& c, const Access& a) {
  Region* r = c.CheckGm(a.at, a.bytes, a.write, a.what);
  if (!r) StopLaunch("stopped", "illegal scalar access");
  size_t at = size_t(a.at - r->base);
  c.TouchGm(*r, at, a.bytes, a.write, a.unit(), !a.write && c.looks_, nullptr);
  Price(c, a, TraceKind::kScalarGm);
  if (a.write) {
    if (!r->all_defined) r->defined.Set(at, a.bytes, true);
  } else if (c.checks_.init && !r->all_defined && !r->defined.Defined(at, a.bytes)) {
    c.Report(FindingKind::kUndefinedScalar, ReadsUndefined(a, at, "'" + r->name + "'"), false, "GM:" + r->name, at,
             a.bytes);
  }
}

void TensorAccess(const void* p, uint64_t bytes, bool write, bool tensor) {
  Core& c = *g_core;
  c.current_pipe_ = AKGEN_PIPE_S;
  c.current_site_ = c.SiteIndex();
  const Access a{static_cast<const uint8_t*>(p), bytes, write, tensor, write ? "SetValue" : "GetValue"};
  Memory* m = c.MemoryAt(p);
  if (tensor || !m) c.CatchUp();
  c.pipes_[AKGEN_PIPE_S].latest = ++c.epoch_;
  if (m) MemoryAccess(c, *m, a);
  else GmAccess(c, a);
}

// A pointer that the chip gave to nobody: the simulator's own memory, or another core's.
[[noreturn]] void ForeignAccess(Core& c, const Access& a) {
  char where[32];
  std::snprintf(where, sizeof where, "0x%lx", reinterpret_cast<unsigned long>(a.at));
  std::string whose = "which is no buffer, tensor or variable of the kernel";
  for (const Core* other : g_launch->live)
    if (const Memory* m = other && other != &c ? other->MemoryAt(a.at) : nullptr)
      whose = "in the " + std::string(m->row().title) + " of block " + std::to_string(other->block_) +
              ": a core reaches no other core's memory";
  c.Report(FindingKind::kInvalidPointer,
           std::string(a.what) + (a.write ? " writes " : " reads ") + std::to_string(a.bytes) + " bytes at " + where +
               ", " + whose,
           false, "", uint64_t(reinterpret_cast<uintptr_t>(a.at)), a.bytes);
  StopLaunch("stopped", "access to foreign memory");
}

// Whether a store meets what brings a caller on the block's stack back: its frame pointer and return address. Kernels
// keep frame pointers, so the chain from here to the launch can be walked.
__attribute__((noinline, no_sanitize("address"))) bool MeetsAFrame(const Core& c, uintptr_t p, uint64_t bytes) {
  auto* frame = static_cast<uintptr_t*>(__builtin_frame_address(0));
  for (int hop = 0; hop < 64 && frame; ++hop) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(frame);
    if (at >= c.stack_top_ || c.stack_top_ - at > c.stack_bytes_) return false;
    if (p < at + 2 * sizeof(uintptr_t) && at < p + bytes) return true;
    auto* next = reinterpret_cast<uintptr_t*>(frame[0]);
    if (next <= frame || frame[0] % sizeof(uintptr_t)) return false;
    frame = next;
  }
  return false;
}

// Which memory an address is meant for that lies in none: one close to a memory is an index that ran away. nullptr is
// Global Memory; nothing: none of the kernel's.
std::optional<Memory*> MeantFor(const Core& c, const uint8_t* p) {
  constexpr uintptr_t kNear = 1 << 20;
  for (const Core* other : g_launch->live)
    if (other && other != &c && other->MemoryAt(p)) return std::nullopt;
  auto distance = [p](const uint8_t* base, size_t bytes) {
    return uintptr_t(p < base ? base - p : p - base - ptrdiff_t(bytes));
  };
  const Region* near = Gm().FindNear(p);
  uintptr_t least = near ? distance(near->base, near->Extent()) : UINTPTR_MAX;
  Memory* best = nullptr;
  for (const auto& m : c.memories())
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
  const Access a{static_cast<const uint8_t*>(address),     bytes, write, false,
                 write ? "a plain store" : "a plain load", true};
  if (c.stack_top_ - p < c.stack_bytes_ && write && MeetsAFrame(c, p, bytes)) {
    c.current_pipe_ = AKGEN_PIPE_S;
    c.current_site_ = c.SiteIndex();
    ForeignAccess(c, a);
  }
  if (c.stack_top_ - p < c.stack_bytes_ || p - request.own_begin < request.own_bytes || p < kNullPage) return;
  std::optional<Memory*> memory = c.MemoryAt(a.at);
  if (!*memory) {
    Region* r = Gm().Find(a.at);
    if (r && !write && !r->writable() && size_t(a.at - r->base) <= r->bytes &&
        bytes <= r->bytes - size_t(a.at - r->base)) {  // tiling, which a block's start holds, and inputs
      r->was_read = true;
      if (r->role == Role::kInput) Price(c, a, TraceKind::kScalarGm);
      return;
    }
    if (!r && !request.own_bytes) return;  // nobody said where the kernel's own variables lie
    if (!r) memory = MeantFor(c, a.at);
  }
  c.current_pipe_ = AKGEN_PIPE_S;
  c.current_site_ = c.SiteIndex();
  if (!memory) ForeignAccess(c, a);
  c.pipes_[AKGEN_PIPE_S].latest = ++c.epoch_;
  if (*memory) MemoryAccess(c, **memory, a);
  else GmAccess(c, a);
}
}  // namespace

extern "C" {
void akgen_scalar_read(const void* p, uint32_t bytes, int32_t base) { TensorAccess(p, bytes, false, base != 0); }
void akgen_scalar_write(void* p, uint32_t bytes, int32_t base) { TensorAccess(p, bytes, true, base != 0); }
void akgen_raw_read(const void* p, uint64_t bytes) { PlainAccess(p, bytes, false); }
void akgen_raw_write(void* p, uint64_t bytes) { PlainAccess(p, bytes, true); }
}  // extern "C"
