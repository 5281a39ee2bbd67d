#include "judge/lone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstring>
#include <sstream>

#include "base/dtype.h"
#include "base/files.h"
#include "base/version.h"
#include "chip/chip.h"
#include "judge/blame.h"
#include "judge/findings.h"
#include "judge/simulated_chip.h"
#include "judge/value_range.h"
#include "sim/check/checks.h"
#include "task/task.h"
#include "toolchain/project.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {
using base::Dtype;

std::optional<base::Dtype> DtypeOfName(const std::string& s) {
  static const std::pair<const char*, Dtype> rows[] = {
      {"f16", Dtype::kFloat16}, {"bf16", Dtype::kBfloat16}, {"f32", Dtype::kFloat32}, {"i8", Dtype::kInt8},
      {"u8", Dtype::kUint8},    {"i16", Dtype::kInt16},     {"u16", Dtype::kUint16},  {"i32", Dtype::kInt32},
      {"u32", Dtype::kUint32},  {"i64", Dtype::kInt64},     {"u64", Dtype::kUint64}};
  for (auto& [name, d] : rows)
    if (s == name) return d;
  return base::DtypeFromName(s);
}

namespace {
using base::Json;
using record::Verdict;

constexpr uint64_t kMostTiling = uint64_t{16} << 20;

base::Error Malformed(const std::string& what) {
  return {"AK0401", "launch line: " + what, "", "write e.g. blocks=1 args=in:f16[256],out:f16[256]"};
}

base::Result<LaunchLine::Arg> ParseArg(const std::string& text) {
  LaunchLine::Arg a;
  if (text == "null") {
    a.role = "null";
    return a;
  }
  size_t open = text.find('['), colon = text.find(':');
  if (open == std::string::npos || text.back() != ']') return Malformed("'" + text + "' has no [count]");
  const char *at = text.c_str() + open + 1, *last = text.c_str() + text.size();
  auto number = [&](uint64_t& into) {
    const auto [end, error] = std::from_chars(at, last, into);
    const bool read = end != at && (error == std::errc() || error == std::errc::result_out_of_range);
    if (error == std::errc::result_out_of_range) into = UINT64_MAX;
    at = end;
    return read;
  };
  if (!number(a.count) || (*at == '+' && (++at, !number(a.spare))) || at + 1 != last)
    return Malformed("'" + text + "' has no [count]");
  a.role = text.substr(0, std::min(open, colon));
  if (a.role == "workspace" || a.role == "tiling") return a;
  if (colon == std::string::npos || (a.role != "in" && a.role != "out" && a.role != "inout"))
    return Malformed("'" + text + "' is not in:, out: or inout:");
  a.dtype = text.substr(colon + 1, open - colon - 1);
  if (!DtypeOfName(a.dtype)) return Malformed("unknown dtype '" + a.dtype + "'");
  return a;
}

// Small whole numbers: exact in every dtype, so that tests can reason about results.
void FillInput(uint8_t* p, Dtype d, uint64_t count, uint64_t seed) {
  int size = base::SizeOf(d);
  for (uint64_t i = 0; i < count; ++i, p += size) {
    int v = int((i * 2654435761u + seed * 97) >> 7 & 15) -
            (d == Dtype::kUint8 || d == Dtype::kUint16 || d == Dtype::kUint32 ? 0 : 8);
    float f = float(v);
    int64_t w = v;
    uint16_t h = d == Dtype::kFloat16 ? base::FloatToHalf(f) : base::FloatToBf16(f);
    if (d == Dtype::kFloat16 || d == Dtype::kBfloat16) std::memcpy(p, &h, 2);
    else if (d == Dtype::kFloat32) std::memcpy(p, &f, 4);
    else std::memcpy(p, &w, size_t(size));
  }
}

struct Memory {
  base::SharedMemory in, out;
  std::vector<sim::RunRegion> regions;
  std::vector<sim::RunArgument> args;
  uint64_t workspace = 0;
  std::vector<uint8_t> tiling;
};

base::Result<Memory> Lay(const LaunchLine& launch, uint64_t seed) {
  Memory m;
  size_t in = 0, out = 0;
  using Argument = sim::RunArgument;
  for (const auto& a : launch.args) {
    if (a.role == "null") m.args.emplace_back();
    if (a.role == "workspace") {
      m.workspace += a.count;
      m.args.push_back({Argument::kWorkspace, {}, {}});
    }
    if (a.role == "tiling") {
      for (uint64_t i = 0; i < a.count; ++i) m.tiling.push_back(uint8_t(i));
      m.args.push_back({Argument::kTiling, {}, {}});
    }
    if (a.dtype.empty()) continue;
    size_t element = size_t(base::SizeOf(*DtypeOfName(a.dtype))), bytes = a.count * element;
    size_t& at = a.role == "in" ? in : out;
    m.args.push_back({Argument::kRegion, {m.regions.size()}, {}});
    m.regions.push_back({"arg" + std::to_string(m.args.size() - 1),
                         a.role == "in"    ? sim::Role::kInput
                         : a.role == "out" ? sim::Role::kOutput
                                           : sim::Role::kInout,
                         at, bytes, a.spare ? bytes + a.spare * element : 0});
    at = (at + bytes + a.spare * element + 1023) & ~size_t{511};
  }
  auto i = base::SharedMemory::Create("akgen-in", std::max<size_t>(in, 512));
  auto o = base::SharedMemory::Create("akgen-out", std::max<size_t>(out, 512));
  if (!i.ok()) return i.error();
  if (!o.ok()) return o.error();
  m.in = std::move(*i);
  m.out = std::move(*o);
  size_t r = 0;
  for (const auto& a : launch.args) {
    if (a.dtype.empty()) continue;
    const sim::RunRegion& region = m.regions[r++];
    if (a.role == "out") continue;
    uint8_t* base = (a.role == "in" ? m.in.data() : m.out.data()) + region.offset;
    FillInput(base, *DtypeOfName(a.dtype), a.count, seed + r);
  }
  return m;
}
}  // namespace

std::string LaunchComment(const std::string& source) {
  size_t at = source.find("// launch:");
  if (at == std::string::npos) return "";
  at += 10;
  std::string line = source.substr(at, source.find('\n', at) - at);
  return line.substr(0, line.find("//"));  // a comment of its own may say what a tuner tries (judge/tune.h)
}

base::Result<LaunchLine> ParseLaunch(const std::string& text) {
  LaunchLine l;
  std::istringstream words(text);
  for (std::string w; words >> w;) {
    size_t eq = w.find('=');
    std::string key = w.substr(0, eq), value = eq == std::string::npos ? "" : w.substr(eq + 1);
    if (key == "blocks") l.blocks = uint32_t(std::min<uint64_t>(std::strtoull(value.c_str(), nullptr, 10), 65536));
    else if (key == "key") l.key = std::strtoull(value.c_str(), nullptr, 10);
    else if (key == "args") {
      std::istringstream parts(value);
      for (std::string p; std::getline(parts, p, ',');) {
        auto a = ParseArg(p);
        if (!a.ok()) return a.error();
        l.args.push_back(*a);
      }
    } else {
      return Malformed("unknown word '" + w + "'");
    }
  }
  if (l.blocks < 1 || l.blocks > 65535) return Malformed("blocks must be 1 to 65535");
  uint64_t left = task::kCaseMemoryLimit;
  for (const LaunchLine::Arg& a : l.args) {
    const uint64_t element = a.dtype.empty() ? 1 : uint64_t(base::SizeOf(*DtypeOfName(a.dtype)));
    for (const uint64_t n : {a.count, a.spare}) {
      if (n > left / element) return Malformed("its arguments take more than 8 GiB");
      left -= n * element;
    }
    if (a.role == "tiling" && a.count > kMostTiling) return Malformed("a tiling structure has at most 16 MiB");
  }
  return l;
}

base::Status CheckLaunch(const std::string& file, const LaunchLine& launch) {
  const auto project = toolchain::LoadProject(file, false);
  if (!project.ok() || project->entry.templated) return {};  // RunLone says what is wrong with it
  const auto text = base::ReadFile(project->kernel);
  if (!text.ok()) return {};
  for (const auto& entry : toolchain::DeclaredEntries(*text))
    if (entry.name == project->entry.name && entry.types.size() > launch.args.size())
      return Malformed(fmt::format("{}() takes {} arguments and {} are given, none for the one of type {}", entry.name,
                                   entry.types.size(), launch.args.size(), entry.types[launch.args.size()]));
  return {};
}

namespace {
base::Result<sim::RunRequest> RequestOf(const std::string& entry, const Memory& memory, const LaunchLine& launch,
                                        const chip::Chip& chip, const LoneOptions& options) {
  auto timing = TimingRequest(chip, options.time);
  if (!timing.ok()) return timing.error();
  sim::RunRequest r;
  r.entry = entry;
  r.regions = memory.regions, r.args = memory.args;
  r.tiling = memory.tiling, r.workspace_bytes = memory.workspace;
  r.tiling_key = launch.key, r.blocks = launch.blocks;
  r.chip = chip;
  r.checks = sim::ChecksFromJson(options.checks);
  r.schedule = options.schedule;
  r.hash = true, r.sites = options.want_lines;
  r.probe = options.probe;
  r.timing = std::move(*timing);
  return r;
}

void Note(Executor& executor, const std::string& so, const sim::RunReply& reply, LoneResult& out) {
  out.findings = NameFindings(executor, so, reply.findings);
  out.lines = NameSites(executor, so, reply.sites);
  out.probe = reply.probe;
  out.hash = reply.hash;
  out.print = reply.print;
  out.modelled = NameModelled(executor, so, reply);
  out.counts = {{"vector_ops", reply.vector_ops},   {"copies", reply.copies},
                {"bytes_in", reply.bytes_in},       {"bytes_out", reply.bytes_out},
                {"run_us", uint64_t(reply.run_us)}, {"instructions", reply.instructions}};
}
}  // namespace

LoneResult RunLone(Executor& executor, const std::string& file, const LaunchLine& launch, const LoneOptions& options) {
  LoneResult out;
  out.backend = options.backend;
  out.checks = sim::NamesOf(sim::ChecksFromJson(options.checks));
  if (!sim::ChecksFromJson(options.checks).auto_sync) out.build_options = {sim::kAutoSyncOff};
  auto fail = [&](Verdict v, std::string reason) {
    out.verdict = v;
    out.reason = std::move(reason);
    return out;
  };
  chip::Chip chip;
  if (auto no = LoadRunnable(options.chip, &chip)) return fail(no->verdict, no->reason);
  auto project = toolchain::LoadProject(file, false);
  if (!project.ok()) return fail(Verdict::kBuildError, project.error().code + ": " + project.error().message);
  toolchain::BuildRequest build = toolchain::KernelRequest(*project, {chip.npu_arch}, options.backend);
  build.include_dirs = options.include_dirs;
  auto built = executor.Build(build);
  if (!built.ok()) return fail(Verdict::kInfraError, built.error().message);
  out.build_ms = built->build_ms;
  out.diagnostics = built->diagnostics;
  if (!built->ok) return fail(VerdictOf(*built), ReasonOf(*built));
  auto memory = Lay(launch, options.seed);
  if (!memory.ok()) return fail(Verdict::kInfraError, memory.error().message);
  auto request = RequestOf(project->entry.symbol, *memory, launch, chip, options);
  if (!request.ok()) return fail(Verdict::kInfraError, request.error().message);
  auto start = std::chrono::steady_clock::now();
  const sim::RunReply reply = executor
                                  .Run({built->so,
                                        options.backend,
                                        {std::move(*request)},
                                        memory->in.fd(),
                                        memory->out.fd(),
                                        options.timeout_ms})
                                  .at(0);
  out.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  RunOutcome outcome = TakenApart([&] { Note(executor, built->so, reply, out); });
  if (outcome.verdict != Verdict::kPass)
    return fail(VerdictOfBrokenRun(options.backend, outcome.verdict), outcome.reason);
  outcome = OutcomeOf(reply.status, reply.detail, out.findings);
  const bool look = options.want_values && outcome.verdict == Verdict::kPass;
  for (size_t i = 0, r = 0; look && i < launch.args.size(); ++i) {
    const LaunchLine::Arg& arg = launch.args[i];
    if (arg.dtype.empty()) continue;
    const sim::RunRegion& region = memory->regions[r++];
    if (arg.role != "in")
      out.outputs.push_back(
          ValuesOf(region.name, *DtypeOfName(arg.dtype), memory->out.data() + region.offset, arg.count));
  }
  if (outcome.verdict == Verdict::kPass) outcome = OutcomeOf(out.findings);
  return fail(outcome.verdict, outcome.reason);
}

}  // namespace akgen::judge
