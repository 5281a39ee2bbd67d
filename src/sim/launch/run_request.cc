#include "sim/launch/run_request.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "chip/chip.h"
#include "record/timeline.h"
#include "sim/exec/core.h"
#include "sim/launch/launch.h"
#include "sim/machine/mapping.h"
#include "sim/ops/ops.h"
#include "sim/trace/trace_json.h"

namespace akgen::sim {
namespace {
using base::Json;
constexpr uint8_t kPoison = 0xff;

size_t BytesOf(int fd) {
  struct stat st{};
  return fd >= 0 && ::fstat(fd, &st) == 0 ? size_t(st.st_size) : 0;
}

// Memory of one launch. The process ends soon: nothing is unmapped.
class Arena {
 public:
  explicit Arena(const LoadedKernel& kernel) : kernel_(kernel) {}
  // Nothing, or the answer to give instead of a run.
  std::optional<RunReply> Build(const RunRequest& request, int in_fd, int out_fd);
  void** args() { return args_; }
  void Keep();
  void Restore();  // everything the kernel may write, as it was at Keep()
  // The same with other contents where nobody has written; nothing is known of what is defined.
  void Begin(uint8_t unwritten);
  bool CanBegin() const;
  // What the launch has left in the tensors that it may write.
  struct Piece {
    uint8_t* at;
    std::vector<uint8_t> bytes;
    bool operator==(const Piece&) const = default;
  };
  std::vector<Piece> Tensors() const;
  std::string HashOutputs() const;
  // Numbers of the regions with inputs of which no byte was read.
  std::vector<size_t> Unread() const;
  uint8_t* workspace() const { return workspace_; }
  // Of a run of some blocks: what they wrote, and to the writable memory what lies in this process
  // alone.
  void GiveBack(const RunRequest& request, int out_fd, RunReply& reply) const;

 private:
  bool AddRegions(const RunRequest& request, int in_fd, int out_fd, std::string& error);
  uint8_t* MapRegion(const RunRegion& asked, const GmRegion& r, int in_fd, int out_fd) const;
  void* Argument(const RunArgument& a);
  void* List(const RunArgument& a);
  void* Own(const char* name, Role role, size_t bytes);
  void Add(const GmRegion& r) { known_.push_back(r), AddGmRegion(r); }

  const LoadedKernel& kernel_;
  std::vector<GmRegion> regions_, known_;  // known_: to the chip
  uint8_t *workspace_ = nullptr, *tiling_ = nullptr;
  size_t workspace_bytes_ = 0;
  bool whole_ = true;  // all blocks run
  std::vector<uint8_t> start_;
  void* args_[kMaxKernelArguments] = {};
};

uint8_t* Arena::MapRegion(const RunRegion& asked, const GmRegion& r, int in_fd, int out_fd) const {
  const bool input = r.role == Role::kInput;
  if (asked.period) return MapGmRepeated(in_fd, asked.source, asked.period, r.Extent(), !input);
  return MapGmOfFile(input ? in_fd : out_fd, asked.offset, r.Extent(), !input, whole_);
}

bool Arena::AddRegions(const RunRequest& request, int in_fd, int out_fd, std::string& error) {
  const size_t in_bytes = BytesOf(in_fd), out_bytes = BytesOf(out_fd);
  for (const RunRegion& asked : request.regions) {
    GmRegion r{asked.name, nullptr, asked.bytes, asked.role, asked.capacity};
    const bool input = r.role == Role::kInput;
    const bool inside =
        asked.period ? asked.period <= in_bytes && asked.source <= in_bytes - asked.period : true;
    const size_t there = input ? in_bytes : out_bytes;
    const bool needs_place = !input || !asked.period;
    if (r.bytes &&
        (!inside || (needs_place && (r.Extent() > there || asked.offset > there - r.Extent())))) {
      error = "region '" + r.name + "' lies outside the memory that came with the request";
      return false;
    }
    if (r.bytes) {
      r.base = MapRegion(asked, r, in_fd, out_fd);
      if (!r.base) {
        error =
            "region '" + r.name + "' of " + std::to_string(r.Extent()) + " bytes cannot be mapped";
        return false;
      }
      if (r.role == Role::kOutput && whole_) std::memset(r.base, kPoison, r.Extent());
      Add(r);
    }
    regions_.push_back(std::move(r));
  }
  return true;
}

void* Arena::Own(const char* name, Role role, size_t bytes) {
  uint8_t* p = MapGm(bytes);
  if (p) Add({name, p, bytes, role});
  return p;
}

void* Arena::List(const RunArgument& a) {
  std::vector<uint64_t> addresses;
  for (size_t region : a.regions) {
    const uint8_t* base = region < regions_.size() ? regions_[region].base : nullptr;
    addresses.push_back(kernel_.address ? kernel_.address(base) : reinterpret_cast<uint64_t>(base));
  }
  const std::vector<uint64_t> words = TensorListWords(a, addresses);
  void* p = Own("tensor list", Role::kTiling, words.size() * 8);
  if (p) std::memcpy(p, words.data(), words.size() * 8);
  return p;
}

void* Arena::Argument(const RunArgument& a) {
  switch (a.kind) {
    case RunArgument::kNull: return nullptr;
    case RunArgument::kList: return List(a);
    case RunArgument::kWorkspace: return workspace_;
    case RunArgument::kTiling: return tiling_;
    case RunArgument::kRegion: break;
  }
  return !a.regions.empty() && a.regions[0] < regions_.size() ? regions_[a.regions[0]].base
                                                              : nullptr;
}

RunReply Ended(const char* status, std::string detail) {
  RunReply r;
  r.status = status, r.detail = std::move(detail);
  return r;
}

std::optional<RunReply> Arena::Build(const RunRequest& request, int in_fd, int out_fd) {
  ClearGmRegions();
  std::string error;
  whole_ = request.only.empty();
  if (!AddRegions(request, in_fd, out_fd, error)) return Ended("error", error);
  workspace_bytes_ = request.workspace_bytes;
  if (workspace_bytes_)
    workspace_ = static_cast<uint8_t*>(Own("workspace", Role::kWorkspace, workspace_bytes_));
  tiling_ = static_cast<uint8_t*>(
      Own("tiling", Role::kTiling, std::max<size_t>(request.tiling.size(), 8)));
  if ((workspace_bytes_ && !workspace_) || !tiling_)
    return Ended("memory",
                 "no memory for a workspace of " + std::to_string(workspace_bytes_) + " bytes");
  if (!request.tiling.empty()) std::memcpy(tiling_, request.tiling.data(), request.tiling.size());
  if (request.args.size() > kMaxKernelArguments)
    return Ended("stopped", "the op definition has more than the " +
                                std::to_string(kMaxKernelArguments) +
                                " parameters that a launch takes");
  for (size_t i = 0; i < request.args.size(); ++i) args_[i] = Argument(request.args[i]);
  for (const GmRegion& table : kernel_.tables) Add(table);
  return std::nullopt;
}

void Arena::GiveBack(const RunRequest& request, int out_fd, RunReply& reply) const {
  constexpr size_t kMaxPieces = size_t{1} << 20;
  size_t pieces = 0;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const GmRegion& r = regions_[i];
    std::vector<uint64_t>& out = reply.written.emplace_back();
    const Region* known = r.role == Role::kInput || !r.bytes ? nullptr : Gm().Find(r.base);
    if (!known || known->written.empty()) continue;
    const RunRegion& asked = request.regions[i];
    uint8_t* to = asked.period ? MapGmOfFile(out_fd, asked.offset, r.bytes, true, false) : nullptr;
    known->written.Each(r.bytes, [&](size_t at, size_t end) {
      if (pieces++ >= kMaxPieces) reply.written_cut = true;
      if (reply.written_cut) return;
      out.push_back(at), out.push_back(end);
      if (to) std::memcpy(to + at, r.base + at, end - at);
    });
    if (reply.written_cut) return;
  }
}

void Arena::Keep() {
  start_.clear();
  for (const GmRegion& r : regions_)
    if (r.role == Role::kInout && r.bytes) start_.insert(start_.end(), r.base, r.base + r.Extent());
}

void Arena::Restore() {
  const uint8_t* from = start_.data();
  for (const GmRegion& r : regions_) {
    if (!r.bytes) continue;
    if (r.role == Role::kInout)
      std::memcpy(r.base, std::exchange(from, from + r.Extent()), r.Extent());
    else if (r.role == Role::kOutput && whole_)
      std::memset(r.base, kPoison, r.Extent());
  }
  if (workspace_)
    ::madvise(workspace_, (workspace_bytes_ + 4095) / 4096 * 4096, MADV_DONTNEED);  // zeros again
}

// Of a run of some blocks nothing is kept.
bool Arena::CanBegin() const {
  return whole_ || std::none_of(regions_.begin(), regions_.end(),
                                [](const GmRegion& r) { return r.role == Role::kInout; });
}

void Arena::Begin(uint8_t unwritten) {
  Restore();
  if (workspace_ && unwritten) std::memset(workspace_, unwritten, workspace_bytes_);
  ClearGmRegions();
  for (const GmRegion& r : known_) AddGmRegion(r);
}

std::vector<Arena::Piece> Arena::Tensors() const {
  std::vector<Piece> out;
  auto add = [&](uint8_t* from, uint8_t* to) { out.push_back({from, {from, to}}); };
  for (const GmRegion& r : regions_) {
    if (r.role == Role::kInput || !r.bytes) continue;
    const Region* known = whole_ ? nullptr : Gm().Find(r.base);
    if (whole_)
      add(r.base, r.base + r.Extent());
    else if (known && !known->written.empty())
      known->written.Each(r.bytes,
                          [&](size_t from, size_t to) { add(r.base + from, r.base + to); });
  }
  return out;
}

std::string Arena::HashOutputs() const {
  uint64_t h = 0xcbf29ce484222325ull;
  for (const GmRegion& r : regions_)
    for (size_t i = 0; r.role != Role::kInput && i < r.bytes; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, r.base + i, std::min<size_t>(8, r.bytes - i));
      h = (h ^ word) * 0x9e3779b97f4a7c15ull;
      h ^= h >> 29;
    }
  char text[17];
  std::snprintf(text, sizeof text, "%016lx", (unsigned long)h);
  return text;
}

std::vector<size_t> Arena::Unread() const {
  std::vector<size_t> out;
  for (size_t i = 0; i < regions_.size(); ++i) {
    const GmRegion& r = regions_[i];
    const Region* known = r.role != Role::kOutput && r.bytes ? Gm().Find(r.base) : nullptr;
    if (known && !known->was_read) out.push_back(i);
  }
  return out;
}

// Unused trailing arguments are harmless: the caller cleans up in the C calling convention.
template <size_t>
using Pointer = void*;
template <size_t... kAt>
void CallWith(void* entry, void** a, std::index_sequence<kAt...>) {
  reinterpret_cast<void (*)(Pointer<kAt>...)>(entry)(a[kAt]...);
}
void CallEntry(void* entry, void** a) {
  if (ArgumentsIn(a) <= kFewArguments)
    CallWith(entry, a, std::make_index_sequence<kFewArguments>());
  else
    CallWith(entry, a, std::make_index_sequence<kMaxKernelArguments>());
}

LaunchRequest MakeLaunch(const RunRequest& request, const LoadedKernel& kernel, Arena& arena) {
  LaunchRequest l;
  l.kernel = [&kernel, &arena] {
    kernel.run ? kernel.run(arena.args()) : CallEntry(kernel.entry, arena.args());
  };
  l.where = kernel.where;
  l.blocks = request.blocks, l.only = request.only;
  l.cores = kernel.cores;
  l.tiling_key = request.tiling_key;
  l.chip = ModelOf(request.chip);
  l.checks = request.checks;
  l.schedule = request.schedule;
  l.want_sites = request.sites;
  l.exact = request.exact;
  l.sys_workspace = arena.workspace();
  l.own_begin = kernel.base;
  l.own_bytes = kernel.end - kernel.base;
  if (request.timing) {
    l.timing = &request.timing->parameters;
    l.span_cores = request.timing->span_cores;
    l.scale = request.timing->scale;
    l.keep_trace = request.timing->keep_trace;
    l.what_if = request.timing->what_if;
  }
  return l;
}

// Runs under one legal order after the other, until one of them gives other bytes or another end.
RunReply Probe(const RunProbe& probe, LaunchRequest launch, Arena& arena) {
  launch.checks = {false, false, false, false};
  launch.timing = nullptr;
  std::string expect = probe.expect;
  ProbeReply p;
  arena.Keep();
  for (uint64_t seed : probe.schedules) {
    if (p.ran++) arena.Restore();
    launch.schedule = p.schedule = seed;
    LaunchResult r = Launch(launch);
    p.ended = r.status;
    if (p.ended == "unsupported") return Ended("unsupported", r.detail);
    p.hash = p.ended == "ok" ? arena.HashOutputs() : p.ended;
    if (expect.empty()) expect = p.hash;
    if (p.hash != expect) break;
  }
  p.differs = p.hash != expect;
  RunReply reply = Ended("ok", "");
  reply.probe = std::move(p);
  return reply;
}

// Of this thread, which runs all blocks.
double CpuMicroseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e6 + double(t.tv_nsec) / 1e3;
}

std::vector<uint64_t> PcsOf(const Site& site, const LoadedKernel& kernel) {
  std::vector<uint64_t> out;
  for (uintptr_t pc : site.pc)
    if (pc >= kernel.base && pc < kernel.end) out.push_back(pc - kernel.base);
  return out;
}

RunFinding FindingOf(const RawFinding& f, const LoadedKernel& kernel) {
  RunFinding out{
      record::FindingFromJson(ToJson(f, kernel.base, kernel.end)), PcsOf(f.site, kernel), {}};
  if (out.finding.other) out.other_pcs = PcsOf(f.other, kernel);
  return out;
}

record::Timeline TimelineOf(const ModelledTime& t, const LaunchRequest& l) {
  record::Timeline out;
  for (uint32_t i = 0; i < AKGEN_PIPE_COUNT; ++i)
    out.pipes.emplace_back(PipeName(i) + std::string_view("PIPE_").size());
  out.pipes.emplace_back("other cores");
  out.cores = t.span_cores, out.cube = l.cores.cube, out.vector = l.cores.vector;
  std::map<std::string, uint16_t> names;
  auto name = [&](const char* text) {
    const auto [it, fresh] = names.try_emplace(text, uint16_t(out.names.size()));
    if (fresh) out.names.emplace_back(text);
    return it->second;
  };
  out.spans.reserve(t.spans.size());
  for (const Span& s : t.spans) {
    const char* what = s.role == SpanRole::kStart     ? "start"
                       : s.kind == TraceKind::kVector ? VecOpName(s.op)
                                                      : NameOf(s.kind);
    const double mhz = l.timing->clock_mhz;
    out.spans.push_back({s.begin / mhz, s.end / mhz, uint16_t(s.core), s.pipe, s.after,
                         s.role == SpanRole::kWait, name(what), s.site});
  }
  return out;
}

// What a finding says, but for how often.
bool Same(const RawFinding& a, const RawFinding& b) {
  return a.kind == b.kind && a.message == b.message && a.site == b.site && a.other == b.other &&
         a.block == b.block;
}

bool SameBut(const std::vector<RawFinding>& a, const std::vector<RawFinding>& b) {
  auto settled = [](const std::vector<RawFinding>& all) {
    std::vector<RawFinding> out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out),
                 [](const RawFinding& f) { return !f.made; });
    return out;
  };
  const std::vector<RawFinding> x = settled(a), y = settled(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), Same);
}

// Undefined bytes that an instruction made of others, such as the tail of a mask, are read and may
// decide nothing: the scalar unit takes them in whole words. The launch is run again with other
// contents where nothing was written, also such that each bit of a mask comes out either way; where
// nothing comes of it, those reads are no findings.
void SettleMade(const LaunchRequest& asked, const LoadedKernel& kernel, Arena& arena,
                LaunchResult& r) {
  constexpr uint8_t kContents[] = {0x00, 0x7b, 0xfb};  // zeros, and large numbers of either sign
  const auto made = [](const RawFinding& f) { return f.made; };
  if (r.status != "ok" || std::none_of(r.findings.begin(), r.findings.end(), made) ||
      !arena.CanBegin())
    return;
  LaunchRequest launch = asked;
  launch.timing = nullptr;
  const std::vector<Arena::Piece> first = arena.Tensors();
  bool same = true;
  for (size_t i = 0; same && i < std::size(kContents); ++i) {
    if (!kernel.again || !kernel.again()) return;
    arena.Begin(launch.unwritten = kContents[i]);
    const LaunchResult other = Launch(launch);
    same = other.status == "ok" && SameBut(r.findings, other.findings) && arena.Tensors() == first;
  }
  for (const Arena::Piece& piece : first)
    std::memcpy(piece.at, piece.bytes.data(), piece.bytes.size());
  if (same) std::erase_if(r.findings, made);
}

// What the launch says of time, in the reply's terms.
void AddTime(const LaunchResult& r, const LaunchRequest& l, const LoadedKernel& kernel,
             RunReply& reply) {
  reply.trace_cut = r.trace_cut;
  reply.unmodelled = r.unmodelled;
  if (!r.time) return;
  Json& modelled = reply.modelled = ToJson(*r.time, *l.timing);
  modelled["blocks"] = l.blocks;
  modelled["ub_used"] = r.ub_used;
  if (r.scaled)
    modelled["scaled"] = {{"factor", l.scale}, {"us", r.scaled->us}, {"bound_us", r.scaled->bound}};
  if (r.trace) modelled["trace"] = ToJson(*r.trace);
  if (l.span_cores) modelled["spans"] = record::ToJson(TimelineOf(*r.time, l));
  for (const WhatIf& w : r.what_ifs)
    modelled["what_if"].push_back(
        {{"change", w.change}, {"amount", w.amount}, {"site", w.site}, {"us", w.us}});
  if (!l.span_cores && !l.what_if) return;
  Json& sites = modelled["sites"] = Json::array();
  for (const Site& s : r.span_sites) sites.push_back(PcsOf(s, kernel));
}
}  // namespace

RunReply RunKernel(const RunRequest& request, int in_fd, int out_fd, const LoadedKernel& kernel) {
  Arena arena(kernel);
  if (auto refused = arena.Build(request, in_fd, out_fd)) return *refused;
  const LaunchRequest launch = MakeLaunch(request, kernel, arena);
  if (request.probe) {
    RunReply reply = Probe(*request.probe, launch, arena);
    ClearGmRegions();
    return reply;
  }
  arena.Keep();
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = CpuMicroseconds();
  LaunchResult r = Launch(launch);
  RunReply reply = Ended(r.status.c_str(), r.detail);
  reply.run_cpu_us = CpuMicroseconds() - cpu_start;
  reply.run_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  reply.unread = arena.Unread();
  if (!request.only.empty()) arena.GiveBack(request, out_fd, reply);
  SettleMade(launch, kernel, arena, r);
  for (const RawFinding& f : r.findings) reply.findings.push_back(FindingOf(f, kernel));
  ClearGmRegions();
  reply.vector_ops = r.vector_ops, reply.copies = r.copies;
  reply.bytes_in = r.bytes_in, reply.bytes_out = r.bytes_out;
  reply.print = std::move(r.print_output);
  reply.arithmetic = ToJson(r.arithmetic);
  reply.exchanged = r.exchanged;
  if (request.hash || r.exchanged) reply.hash = arena.HashOutputs();
  for (const Site& s : r.sites)
    if (auto pcs = PcsOf(s, kernel); !pcs.empty()) reply.sites.push_back(std::move(pcs));
  AddTime(r, launch, kernel, reply);
  return reply;
}

}  // namespace akgen::sim
