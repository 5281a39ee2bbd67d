#include "judge/run/lone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "base/dtype.h"
#include "base/files.h"
#include "base/version.h"
#include "chip/chip.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/run/lone_values.h"
#include "judge/run/simulated_chip.h"
#include "judge/run/value_range.h"
#include "sim/check/checks.h"
#include "task/task.h"
#include "toolchain/project.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {
using base::Dtype;

std::optional<base::Dtype> DtypeOfName(const std::string& s) {
  static const std::pair<const char*, Dtype> rows[] = {
      {"f16", Dtype::kFloat16}, {"bf16", Dtype::kBfloat16}, {"f32", Dtype::kFloat32},
      {"f64", Dtype::kFloat64}, {"i8", Dtype::kInt8},       {"u8", Dtype::kUint8},
      {"i16", Dtype::kInt16},   {"u16", Dtype::kUint16},    {"i32", Dtype::kInt32},
      {"u32", Dtype::kUint32},  {"i64", Dtype::kInt64},     {"u64", Dtype::kUint64}};
  for (auto& [name, d] : rows)
    if (s == name) return d;
  return base::DtypeFromName(s);
}

namespace {
using base::Json;
using record::Verdict;

constexpr uint64_t kMaxTiling = uint64_t{16} << 20;

base::Error Malformed(const std::string& what) {
  return {"AK0401", "launch line: " + what, "",
          "write e.g. blocks=1 args=in:f16[256],out:f16[256]"};
}

// 1;2.5;-3
bool ReadNumbers(const std::string& text, std::vector<double>* into) {
  for (const char* at = text.c_str();;) {
    char* end = nullptr;
    into->push_back(std::strtod(at, &end));
    if (end == at) return false;
    if (*end == 0) return true;
    if (*end != ';') return false;
    at = end + 1;
  }
}

// What stands behind the brackets: values, a file, nothing.
base::Result<LaunchLine::Arg> WithFill(LaunchLine::Arg a, const std::string& text,
                                       const std::string& fill, const std::string& folder) {
  if (fill.empty()) return a;
  if (a.role == "workspace") return Malformed("'" + text + "': a workspace has no values");
  if (fill[0] == '=' && ReadNumbers(fill.substr(1), &a.values)) return a;
  if (fill[0] != '@' || fill.size() == 1)
    return Malformed("'" + text + "' has neither =NUMBERS nor @FILE");
  if (folder.empty()) return Malformed("'" + text + "': files are not read here");
  a.file = fill.substr(1);
  if (std::error_code ec; !std::filesystem::exists(a.file, ec))
    if (const auto beside = std::filesystem::path(folder) / a.file;
        std::filesystem::exists(beside, ec))
      a.file = beside.string();
  return a;
}

// u32=256, a parameter that is a number.
base::Result<LaunchLine::Arg> ParseScalar(const std::string& text) {
  LaunchLine::Arg a;
  const size_t equals = text.find('=');
  const std::string type = text.substr(0, equals);
  if (equals == std::string::npos || !DtypeOfName(type) ||
      !ReadNumbers(text.substr(equals + 1), &a.values) || a.values.size() != 1)
    return Malformed("'" + text + "' has no [count], and is no number as u32=256");
  a.role = "scalar";
  const bool floating = type.find('f') != std::string::npos;
  a.literal = text.substr(equals + 1);
  if (a.literal.find_first_not_of(floating ? "-+.e0123456789" : "-0123456789") != std::string::npos)
    return Malformed("'" + text + "' is no number of that type");
  a.literal += !floating ? (type[0] == 'u' ? "ull" : "ll")
               : a.literal.find_first_of(".e") == std::string::npos ? ".0"
                                                                    : "";
  return a;
}

base::Result<LaunchLine::Arg> ParseArg(const std::string& text, const std::string& folder) {
  LaunchLine::Arg a;
  if (text == "null") {
    a.role = "null";
    return a;
  }
  size_t open = text.find('['), colon = text.find(':');
  const size_t close = open == std::string::npos ? open : text.find(']', open);
  if (open == std::string::npos) return ParseScalar(text);
  if (close == std::string::npos) return Malformed("'" + text + "' has no [count]");
  const char *at = text.c_str() + open + 1, *last = text.c_str() + close + 1;
  auto number = [&](uint64_t& into) {
    const auto [end, error] = std::from_chars(at, last, into);
    const bool read =
        end != at && (error == std::errc() || error == std::errc::result_out_of_range);
    if (error == std::errc::result_out_of_range) into = UINT64_MAX;
    at = end;
    return read;
  };
  if (!number(a.count) || (*at == '+' && (++at, !number(a.spare))) || at + 1 != last)
    return Malformed("'" + text + "' has no [count]");
  a.role = text.substr(0, std::min(open, colon));
  const std::string fill = text.substr(close + 1);
  const bool typed = colon < open;
  if (a.role == "workspace" || (a.role == "tiling" && !typed))
    return WithFill(a, text, fill, folder);
  if (!typed || (a.role != "in" && a.role != "out" && a.role != "inout" && a.role != "tiling"))
    return Malformed("'" + text + "' is not in:, out: or inout:");
  a.dtype = text.substr(colon + 1, open - colon - 1);
  if (!DtypeOfName(a.dtype)) return Malformed("unknown dtype '" + a.dtype + "'");
  return WithFill(a, text, fill, folder);
}

size_t SizeOf(const LaunchLine::Arg& a) {
  return a.dtype.empty() ? 1 : size_t(base::SizeOf(*DtypeOfName(a.dtype)));
}

// Does it lie in Global Memory as a tensor of its own?
bool IsTensor(const LaunchLine::Arg& a) { return !a.dtype.empty() && a.role != "tiling"; }

// Small whole numbers: exact in every dtype, so that tests can reason about results.
void FillInput(uint8_t* p, Dtype d, uint64_t count, uint64_t seed) {
  int size = base::SizeOf(d);
  for (uint64_t i = 0; i < count; ++i, p += size) {
    int v = int((i * 2654435761u + seed * 97) >> 7 & 15) -
            (d == Dtype::kUint8 || d == Dtype::kUint16 || d == Dtype::kUint32 ? 0 : 8);
    float f = float(v);
    int64_t w = v;
    uint16_t h = d == Dtype::kFloat16 ? base::FloatToHalf(f) : base::FloatToBf16(f);
    if (d == Dtype::kFloat16 || d == Dtype::kBfloat16)
      std::memcpy(p, &h, 2);
    else if (d == Dtype::kFloat32)
      std::memcpy(p, &f, 4);
    else if (const double wide = f; d == Dtype::kFloat64)
      std::memcpy(p, &wide, 8);
    else
      std::memcpy(p, &w, size_t(size));
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
      if (a.filled()) {
        auto bytes = BytesOf(a);
        if (!bytes.ok()) return bytes.error();
        m.tiling.insert(m.tiling.end(), bytes->begin(), bytes->end());
      } else {
        for (uint64_t i = 0; i < a.count * SizeOf(a); ++i) m.tiling.push_back(uint8_t(i));
      }
      m.args.push_back({Argument::kTiling, {}, {}});
    }
    if (!IsTensor(a)) continue;
    size_t element = SizeOf(a), bytes = a.count * element;
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
    if (!IsTensor(a)) continue;
    const sim::RunRegion& region = m.regions[r++];
    if (a.role == "out") continue;
    uint8_t* base = (a.role == "in" ? m.in.data() : m.out.data()) + region.offset;
    if (a.filled()) {
      auto bytes = BytesOf(a);
      if (!bytes.ok()) return bytes.error();
      std::memcpy(base, bytes->data(), bytes->size());
      continue;
    }
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
  return line.substr(
      0, line.find("//"));  // a comment of its own may say what a tuner tries (judge/tune.h)
}

base::Result<LaunchLine> ParseLaunch(const std::string& text, const std::string& folder) {
  LaunchLine l;
  std::istringstream words(text);
  for (std::string w; words >> w;) {
    size_t eq = w.find('=');
    std::string key = w.substr(0, eq), value = eq == std::string::npos ? "" : w.substr(eq + 1);
    if (key == "blocks")
      l.blocks = uint32_t(std::min<uint64_t>(std::strtoull(value.c_str(), nullptr, 10), 65536));
    else if (key == "key")
      l.key = std::strtoull(value.c_str(), nullptr, 10);
    else if (key == "args") {
      std::istringstream parts(value);
      for (std::string p; std::getline(parts, p, ',');) {
        auto a = ParseArg(p, folder);
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
    if (a.role == "tiling" && a.count > kMaxTiling / SizeOf(a))
      return Malformed("a tiling structure has at most 16 MiB");
  }
  return l;
}

base::Status CheckLaunch(const std::string& file, const LaunchLine& launch) {
  const auto project = toolchain::LoadProject(file, false);
  if (!project.ok() || project->entry.templated) return {};  // RunLone says what is wrong with it
  const auto text = base::ReadFile(project->kernel);
  if (!text.ok()) return {};
  for (const auto& entry : toolchain::DeclaredEntries(*text))
    if (entry.name != project->entry.name) {
      continue;
    } else if (entry.types.size() > launch.args.size()) {
      return Malformed(fmt::format(
          "{}() takes {} arguments and {} are given, none for the one of type {}", entry.name,
          entry.types.size(), launch.args.size(), entry.types[launch.args.size()]));
    } else if (auto fits = CheckScalars(entry, launch); !fits.ok()) {
      return fits;
    }
  for (const auto& arg : launch.args)
    if (!arg.file.empty())
      if (auto bytes = BytesOf(arg); !bytes.ok()) return bytes.error();
  return {};
}

namespace {
base::Result<sim::RunRequest> RequestOf(const std::string& entry, const Memory& memory,
                                        const LaunchLine& launch, const chip::Chip& chip,
                                        const LoneOptions& options) {
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

LoneResult RunLone(Executor& executor, const std::string& file, const LaunchLine& launch,
                   const LoneOptions& options) {
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
  if (!project.ok())
    return fail(Verdict::kBuildError, project.error().code + ": " + project.error().message);
  toolchain::BuildRequest build =
      toolchain::KernelRequest(*project, {chip.npu_arch}, options.backend);
  build.include_dirs = options.include_dirs;
  std::string symbol = project->entry.symbol;
  if (auto text = base::ReadFile(project->kernel); text.ok())
    for (const auto& entry : toolchain::DeclaredEntries(*text))
      if (std::string calls =
              entry.name == project->entry.name ? EntryWithScalars(entry, launch, &symbol) : "";
          !calls.empty())
        build.sources[0].text = *text + calls;
  auto built = executor.Build(build);
  if (!built.ok()) return fail(Verdict::kInfraError, built.error().message);
  out.build_ms = built->build_ms;
  out.diagnostics = built->diagnostics;
  if (!built->ok) return fail(VerdictOf(*built), ReasonOf(*built));
  auto memory = Lay(launch, options.seed);
  if (!memory.ok()) return fail(Verdict::kInfraError, memory.error().message);
  auto request = RequestOf(symbol, *memory, launch, chip, options);
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
  out.run_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  RunOutcome outcome = TakenApart([&] { Note(executor, built->so, reply, out); });
  if (outcome.verdict != Verdict::kPass)
    return fail(VerdictOfBrokenRun(options.backend, outcome.verdict), outcome.reason);
  outcome = OutcomeOf(reply.status, reply.detail, out.findings);
  const bool look = options.want_values && outcome.verdict == Verdict::kPass;
  std::string wrong;
  for (size_t i = 0, r = 0; outcome.verdict == Verdict::kPass && i < launch.args.size(); ++i) {
    const LaunchLine::Arg& arg = launch.args[i];
    if (!IsTensor(arg)) continue;
    const sim::RunRegion& region = memory->regions[r++];
    if (arg.role == "in") continue;
    const uint8_t* got = memory->out.data() + region.offset;
    if (look) out.outputs.push_back(ValuesOf(region.name, *DtypeOfName(arg.dtype), got, arg.count));
    if (arg.role != "out" || !arg.filled() || !wrong.empty()) continue;
    auto expected = BytesOf(arg);
    if (!expected.ok()) return fail(Verdict::kInfraError, expected.error().message);
    wrong = LoneDifference(*DtypeOfName(arg.dtype), got, expected->data(), arg.count,
                           options.tolerance);
    if (!wrong.empty()) wrong = region.name + ": " + wrong;
  }
  if (outcome.verdict == Verdict::kPass) outcome = OutcomeOf(out.findings);
  if (outcome.verdict == Verdict::kPass && !wrong.empty())
    return fail(Verdict::kWrongAnswer, wrong);
  return fail(outcome.verdict, outcome.reason);
}

}  // namespace akgen::judge
