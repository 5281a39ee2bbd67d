#include "sim/launch/run_request.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <deque>
#include <vector>

#include "chip/chip.h"
#include "sim/exec/core.h"
#include "sim/launch/launch.h"
#include "sim/ops/ops.h"

namespace akgen::sim {
namespace {
using base::Json;
constexpr size_t kMaxArgs = 64;
static_assert(kKernelArguments <= kMaxArgs);
constexpr uint8_t kPoison = 0xff;

// Anonymous memory of the child: workspace, tiling, list descriptors. The child ends soon; nothing is unmapped.
uint8_t* Anonymous(size_t bytes) {
  size_t all = (bytes + 4095) / 4096 * 4096 + 8192;
  void* p = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  uint8_t* base = static_cast<uint8_t*>(p);
  ::mprotect(base, 4096, PROT_NONE);
  ::mprotect(base + all - 4096, 4096, PROT_NONE);
  return base + 4096;
}

uint8_t* MapFd(int fd, bool writable, size_t& bytes) {
  struct stat st{};
  if (fd < 0 || ::fstat(fd, &st) != 0 || st.st_size == 0) return nullptr;
  bytes = size_t(st.st_size);
  void* p = ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
  return p == MAP_FAILED ? nullptr : static_cast<uint8_t*>(p);
}

std::vector<uint8_t> FromHex(const std::string& hex) {
  auto digit = [](char c) { return uint8_t(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); };
  std::vector<uint8_t> out(hex.size() / 2);
  for (size_t i = 0; i < out.size(); ++i) out[i] = uint8_t(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return out;
}

class Arena {
 public:
  explicit Arena(const LoadedKernel& kernel) : kernel_(kernel) {}
  // Null, or the answer to give instead of a run.
  Json Build(const Json& request, int in_fd, int out_fd);
  void** args() { return args_; }
  void Keep() { start_.assign(out_, out_ + out_bytes_); }
  void Restore();  // everything the kernel may write, as it was at Keep()
  std::string HashOutputs() const;
  // Numbers of the regions with inputs of which no byte was read.
  Json Unread() const;
  uint8_t* workspace() const { return workspace_; }

 private:
  bool AddRegions(const Json& regions, std::string& error);
  void* Argument(const Json& a);
  void* List(const Json& a);
  void* Own(const char* name, Role role, size_t bytes);

  const LoadedKernel& kernel_;
  const Json* request_ = nullptr;
  uint8_t *in_ = nullptr, *out_ = nullptr;
  size_t in_bytes_ = 0, out_bytes_ = 0;
  std::vector<GmRegion> regions_;
  uint8_t *workspace_ = nullptr, *tiling_ = nullptr;
  size_t workspace_bytes_ = 0;
  std::vector<uint8_t> start_;
  void* args_[kMaxArgs] = {};
};

bool Arena::AddRegions(const Json& regions, std::string& error) {
  for (const Json& j : regions) {
    GmRegion r;
    r.name = j.value("name", "");
    std::string role = j.value("role", "input");
    r.role = role == "output" ? Role::kOutput : role == "inout" ? Role::kInout : Role::kInput;
    size_t offset = j.value("offset", size_t{0});
    r.bytes = j.value("bytes", size_t{0});
    r.capacity = j.value("capacity", size_t{0});
    bool input = r.role == Role::kInput;
    uint8_t* memory = input ? in_ : out_;
    if (r.bytes && (!memory || offset + r.Extent() > (input ? in_bytes_ : out_bytes_))) {
      error = "region '" + r.name + "' lies outside the memory that came with the request";
      return false;
    }
    r.base = memory ? memory + offset : nullptr;
    if (r.role == Role::kOutput && r.bytes) std::memset(r.base, kPoison, r.Extent());
    if (r.bytes) AddGmRegion(r);
    regions_.push_back(std::move(r));
  }
  return true;
}

void* Arena::Own(const char* name, Role role, size_t bytes) {
  uint8_t* p = Anonymous(bytes);
  if (p) AddGmRegion({name, p, bytes, role});
  return p;
}

// ListTensorDesc: u64 byte offset of the address table, then per tensor u64 (index << 32 | dims) and its dims, then
// the table of 64-bit addresses.
void* Arena::List(const Json& a) {
  std::vector<uint64_t> words{0};
  std::vector<uint64_t> table;
  for (size_t i = 0; i < a["list"].size(); ++i) {
    Json shape = a.contains("shapes") && i < a["shapes"].size() ? a["shapes"][i] : Json::array();
    words.push_back(uint64_t(i) << 32 | shape.size());
    for (const Json& d : shape) words.push_back(d.get<uint64_t>());
    size_t index = a["list"][i].get<size_t>();
    const uint8_t* base = index < regions_.size() ? regions_[index].base : nullptr;
    table.push_back(kernel_.address ? kernel_.address(base) : reinterpret_cast<uint64_t>(base));
  }
  words[0] = words.size() * 8;
  words.insert(words.end(), table.begin(), table.end());
  void* p = Own("tensor list", Role::kTiling, words.size() * 8);
  if (p) std::memcpy(p, words.data(), words.size() * 8);
  return p;
}

void* Arena::Argument(const Json& a) {
  if (a.is_null()) return nullptr;
  if (a.is_object()) return List(a);
  if (a.is_string()) return a == "workspace" ? workspace_ : tiling_;
  size_t index = a.get<size_t>();
  return index < regions_.size() ? regions_[index].base : nullptr;
}

Json Arena::Build(const Json& request, int in_fd, int out_fd) {
  request_ = &request;
  in_ = MapFd(in_fd, false, in_bytes_);
  out_ = MapFd(out_fd, true, out_bytes_);
  ClearGmRegions();
  std::string error;
  if (!AddRegions(request.value("regions", Json::array()), error)) return {{"status", "error"}, {"detail", error}};
  size_t workspace = std::max<size_t>(request.value("workspace_bytes", size_t{0}), 32);
  workspace_ = static_cast<uint8_t*>(Own("workspace", Role::kWorkspace, workspace));
  workspace_bytes_ = workspace;
  std::vector<uint8_t> tiling = FromHex(request.value("tiling_hex", ""));
  tiling_ = static_cast<uint8_t*>(Own("tiling", Role::kTiling, std::max<size_t>(tiling.size(), 8)));
  if (!workspace_ || !tiling_)
    return {{"status", "memory"}, {"detail", "no memory for a workspace of " + std::to_string(workspace) + " bytes"}};
  if (!tiling.empty()) std::memcpy(tiling_, tiling.data(), tiling.size());
  const Json& args = request.at("args");
  if (args.size() > kMaxArgs)
    return {{"status", "stopped"}, {"detail", "the op definition has more than the 64 parameters that a launch takes"}};
  for (size_t i = 0; i < args.size(); ++i) args_[i] = Argument(args[i]);
  return {};
}

void Arena::Restore() {
  if (!start_.empty()) std::memcpy(out_, start_.data(), start_.size());
  ::madvise(workspace_, (workspace_bytes_ + 4095) / 4096 * 4096, MADV_DONTNEED);  // zeros again
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

Json Arena::Unread() const {
  Json out = Json::array();
  for (size_t i = 0; i < regions_.size(); ++i) {
    const GmRegion& r = regions_[i];
    const Region* known = r.role != Role::kOutput && r.bytes ? Gm().Find(r.base) : nullptr;
    if (known && !known->was_read) out.push_back(i);
  }
  return out;
}

// Unused trailing arguments are harmless: the caller cleans up in the C calling convention.
void CallEntry(void* entry, void** a) {
  using Fn = void (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                      void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                      void*, void*, void*, void*);
  reinterpret_cast<Fn>(entry)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
                              a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26],
                              a[27], a[28], a[29], a[30], a[31]);
}

LaunchRequest MakeLaunch(const Json& request, const chip::Chip& chip, const LoadedKernel& kernel, Arena& arena) {
  LaunchRequest l;
  l.kernel = [&kernel, &arena] { kernel.run ? kernel.run(arena.args()) : CallEntry(kernel.entry, arena.args()); };
  l.where = kernel.where;
  l.blocks = request.value("blocks", 1u);
  l.tiling_key = request.value("tiling_key", uint64_t{0});
  l.chip = ModelOf(chip);
  l.checks = ChecksFromJson(request.value("checks", Json::object()));
  l.schedule = request.value("schedule", uint64_t{0});
  l.want_sites = request.value("sites", false);
  l.sys_workspace = arena.workspace();
  l.own_begin = kernel.base;
  l.own_bytes = kernel.end - kernel.base;
  return l;
}

// Runs under one legal order after the other, until one of them gives other bytes or another end.
Json Probe(const Json& probe, LaunchRequest launch, Arena& arena) {
  launch.checks = {false, false, false, false};
  std::string expect = probe.value("expect", ""), hash, ended;
  uint64_t ran = 0, schedule = 0;
  arena.Keep();
  for (const Json& seed : probe.value("schedules", Json::array())) {
    if (ran++) arena.Restore();
    launch.schedule = schedule = seed.get<uint64_t>();
    LaunchResult r = Launch(launch);
    ended = r.status;
    if (ended == "unsupported") return {{"status", ended}, {"detail", r.detail}};
    hash = ended == "ok" ? arena.HashOutputs() : ended;
    if (expect.empty()) expect = hash;
    if (hash != expect) break;
  }
  return {
      {"status", "ok"},
      {"probe", {{"ran", ran}, {"differs", hash != expect}, {"schedule", schedule}, {"hash", hash}, {"ended", ended}}}};
}

// Of this thread, which runs all blocks.
double CpuMicroseconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) * 1e6 + double(t.tv_nsec) / 1e3;
}

Json SitesOf(const LaunchResult& r, const LoadedKernel& kernel) {
  Json out = Json::array();
  for (const Site& s : r.sites) {
    Json pcs = Json::array();
    for (uintptr_t pc : s.pc)
      if (pc >= kernel.base && pc < kernel.end) pcs.push_back(pc - kernel.base);
    if (!pcs.empty()) out.push_back(std::move(pcs));
  }
  return out;
}

Json SpansJson(const ModelledTime& t, const TimingParameters& p) {
  Json out = Json::array();
  for (const Span& s : t.spans)
    out.push_back({s.core, PipeName(s.pipe), s.kind == TraceKind::kVector ? VecOpName(s.op) : NameOf(s.kind), s.site,
                   s.begin / p.clock_mhz, s.end / p.clock_mhz});
  return out;
}

// What the launch says of time, in the reply's terms.
void AddTime(const LaunchResult& r, const LaunchRequest& l, const LoadedKernel& kernel, Json& reply) {
  if (r.trace_cut) reply["trace_cut"] = true;
  if (!r.time) return;
  Json& modelled = reply["modelled"] = ToJson(*r.time, *l.timing);
  modelled["blocks"] = l.blocks;
  modelled["ub_used"] = r.ub_used;
  if (r.scaled) modelled["scaled"] = {{"factor", l.scale}, {"us", r.scaled->us}, {"bound_us", r.scaled->bound}};
  if (l.span_cores) modelled["spans"] = SpansJson(*r.time, *l.timing);
  for (const WhatIf& w : r.what_ifs)
    modelled["what_if"].push_back({{"change", w.change}, {"amount", w.amount}, {"site", w.site}, {"us", w.us}});
  if (!l.span_cores && !l.what_if) return;
  Json& sites = modelled["sites"] = Json::array();
  for (const Site& s : r.span_sites) {
    Json pcs = Json::array();
    for (uintptr_t pc : s.pc)
      if (pc >= kernel.base && pc < kernel.end) pcs.push_back(pc - kernel.base);
    sites.push_back(std::move(pcs));
  }
}
}  // namespace

Json RunKernel(const Json& request, int in_fd, int out_fd, const LoadedKernel& kernel) {
  auto chip = chip::ChipFromJson(request.value("chip", Json()));
  if (!chip.ok()) return {{"status", "error"}, {"detail", chip.error().message}};
  Arena arena(kernel);
  if (Json refused = arena.Build(request, in_fd, out_fd); !refused.is_null()) return refused;
  LaunchRequest launch = MakeLaunch(request, *chip, kernel, arena);
  if (request.contains("probe")) {
    Json answer = Probe(request["probe"], launch, arena);
    ClearGmRegions();
    return answer;
  }
  TimingParameters timing;
  if (request.contains("timing")) {
    timing = TimingFromJson(request["timing"].value("parameters", Json::object()));
    launch.timing = &timing;
    launch.span_cores = request["timing"].value("span_cores", 0u);
    launch.scale = request["timing"].value("scale", 0.0);
    launch.what_if = request["timing"].value("what_if", false);
  }
  auto start = std::chrono::steady_clock::now();
  const double cpu_start = CpuMicroseconds();
  LaunchResult r = Launch(launch);
  const double cpu_us = CpuMicroseconds() - cpu_start;
  auto us = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
  Json findings = Json::array();
  for (const RawFinding& f : r.findings) findings.push_back(ToJson(f, kernel.base, kernel.end));
  const Json unread = arena.Unread();
  ClearGmRegions();
  Json answer{{"status", r.status},       {"detail", r.detail},
              {"findings", findings},     {"run_us", us},
              {"run_cpu_us", cpu_us},     {"vector_ops", r.vector_ops},
              {"copies", r.copies},       {"bytes_in", r.bytes_in},
              {"bytes_out", r.bytes_out}, {"print", r.print_output},
              {"unread", unread},         {"arithmetic", ToJson(r.arithmetic)}};
  if (request.value("hash", false)) answer["hash"] = arena.HashOutputs();
  if (launch.want_sites) answer["sites"] = SitesOf(r, kernel);
  AddTime(r, launch, kernel, answer);
  return answer;
}

}  // namespace akgen::sim
