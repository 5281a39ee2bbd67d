#include "judge/lone.h"

#include <cctype>
#include <chrono>
#include <cstring>
#include <sstream>

#include "base/dtype.h"
#include "base/files.h"
#include "chip/chip.h"
#include "judge/blame.h"
#include "judge/findings.h"
#include "sim/check/checks.h"
#include "toolchain/project.h"

namespace akgen::judge {
namespace {
using base::Dtype;
using base::Json;
using record::Verdict;

std::optional<Dtype> ShortDtype(const std::string& s) {
  static const std::pair<const char*, Dtype> rows[] = {
      {"f16", Dtype::kFloat16}, {"bf16", Dtype::kBfloat16}, {"f32", Dtype::kFloat32}, {"i8", Dtype::kInt8},
      {"u8", Dtype::kUint8},    {"i16", Dtype::kInt16},     {"u16", Dtype::kUint16},  {"i32", Dtype::kInt32},
      {"u32", Dtype::kUint32},  {"i64", Dtype::kInt64},     {"u64", Dtype::kUint64}};
  for (auto& [name, d] : rows)
    if (s == name) return d;
  return base::DtypeFromName(s);
}

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
  char* end = nullptr;
  a.count = std::strtoull(text.c_str() + open + 1, &end, 10);
  if (*end == '+') a.spare = std::strtoull(end + 1, &end, 10);
  if (*end != ']') return Malformed("'" + text + "' has no [count]");
  a.role = text.substr(0, std::min(open, colon));
  if (a.role == "workspace" || a.role == "tiling") return a;
  if (colon == std::string::npos || (a.role != "in" && a.role != "out" && a.role != "inout"))
    return Malformed("'" + text + "' is not in:, out: or inout:");
  a.dtype = text.substr(colon + 1, open - colon - 1);
  if (!ShortDtype(a.dtype)) return Malformed("unknown dtype '" + a.dtype + "'");
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
  Json regions = Json::array(), args = Json::array();
  uint64_t workspace = 0;
  std::string tiling_hex;
};

base::Result<Memory> Lay(const LaunchLine& launch, uint64_t seed) {
  Memory m;
  size_t in = 0, out = 0;
  for (const auto& a : launch.args) {
    if (a.role == "null") m.args.push_back(nullptr);
    if (a.role == "workspace") {
      m.workspace += a.count;
      m.args.push_back("workspace");
    }
    if (a.role == "tiling") {
      for (uint64_t i = 0; i < a.count; ++i)
        m.tiling_hex += {"0123456789abcdef"[i >> 4 & 15], "0123456789abcdef"[i & 15]};
      m.args.push_back("tiling");
    }
    if (a.dtype.empty()) continue;
    size_t element = size_t(base::SizeOf(*ShortDtype(a.dtype))), bytes = a.count * element;
    size_t& at = a.role == "in" ? in : out;
    m.args.push_back(m.regions.size());
    m.regions.push_back({{"name", "arg" + std::to_string(m.args.size() - 1)},
                         {"role", a.role == "in"    ? "input"
                                  : a.role == "out" ? "output"
                                                    : "inout"},
                         {"offset", at},
                         {"bytes", bytes},
                         {"capacity", a.spare ? bytes + a.spare * element : 0}});
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
    const Json& region = m.regions[r++];
    if (a.role == "out") continue;
    uint8_t* base = (a.role == "in" ? m.in.data() : m.out.data()) + region["offset"].get<size_t>();
    FillInput(base, *ShortDtype(a.dtype), a.count, seed + r);
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
    if (key == "blocks") l.blocks = uint32_t(std::strtoul(value.c_str(), nullptr, 10));
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
  return l;
}

namespace {
Json RequestOf(const std::string& so, const std::string& entry, const Memory& memory, const LaunchLine& launch,
               const chip::Chip& chip, const LoneOptions& options) {
  return {{"cmd", "run"},
          {"so", so},
          {"entry", entry},
          {"regions", memory.regions},
          {"args", memory.args},
          {"workspace_bytes", memory.workspace},
          {"tiling_hex", memory.tiling_hex},
          {"blocks", launch.blocks},
          {"tiling_key", launch.key},
          {"chip", chip::ToJson(chip)},
          {"checks", options.checks},
          {"schedule", options.schedule},
          {"hash", true},
          {"sites", options.want_lines},
          {"limits", {{"wall_ms", options.timeout_ms}}}};
}
}  // namespace

LoneResult RunLone(toolchain::Builder& builder, runner::Runner& runner, const std::string& file,
                   const LaunchLine& launch, const LoneOptions& options) {
  LoneResult out;
  out.backend = options.backend;
  out.checks = sim::NamesOf(sim::ChecksFromJson(options.checks));
  auto fail = [&](Verdict v, std::string reason) {
    out.verdict = v;
    out.reason = std::move(reason);
    return out;
  };
  auto chip = chip::LoadChip(options.chip);
  if (!chip.ok()) return fail(Verdict::kInfraError, chip.error().message);
  if (!chip->runnable) return fail(Verdict::kUnsupported, "the chip " + chip->name + " is known but not simulated");
  auto project = toolchain::LoadProject(file, false);
  if (!project.ok()) return fail(Verdict::kBuildError, project.error().code + ": " + project.error().message);
  auto built = builder.Build(toolchain::KernelRequest(*project, {chip->npu_arch}, options.backend));
  if (!built.ok()) return fail(Verdict::kInfraError, built.error().message);
  out.build_ms = built->build_ms;
  for (const auto& d : built->diagnostics) out.diagnostics.push_back(toolchain::ToJson(d));
  if (!built->ok) return fail(VerdictOf(*built), ReasonOf(*built));
  auto memory = Lay(launch, options.seed);
  if (!memory.ok()) return fail(Verdict::kInfraError, memory.error().message);
  Json request = RequestOf(built->so, project->entry.symbol, *memory, launch, *chip, options);
  if (!options.probe.is_null()) request["probe"] = options.probe;
  if (options.time.on) {
    auto timing = TimingRequest(*chip, options.time);
    if (!timing.ok()) return fail(Verdict::kInfraError, timing.error().message);
    request["timing"] = *timing;
  }
  auto start = std::chrono::steady_clock::now();
  auto reply =
      runner.Call(request, {memory->in.fd(), memory->out.fd()}, runner::kGuestPatience * options.timeout_ms + 5000);
  out.run_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (!reply.ok()) return fail(VerdictOfBrokenRun(options.backend, VerdictOf(reply.error())), reply.error().message);
  RunOutcome outcome = TakenApart([&] {
    out.findings = NameFindings(builder, built->so, reply->value("findings", Json::array()));
    out.lines = NameSites(builder, built->so, reply->value("sites", Json::array()));
    out.probe = reply->value("probe", Json());
    out.hash = reply->value("hash", "");
    out.print = reply->value("print", "");
    out.modelled = NameModelled(builder, built->so, *reply);
    for (const char* k : {"vector_ops", "copies", "bytes_in", "bytes_out", "run_us", "instructions"})
      out.counts[k] = reply->value(k, 0);
  });
  if (outcome.verdict != Verdict::kPass)
    return fail(VerdictOfBrokenRun(options.backend, outcome.verdict), outcome.reason);
  outcome = OutcomeOf(*reply, out.findings);
  if (outcome.verdict != Verdict::kPass) return fail(outcome.verdict, outcome.reason);
  outcome = OutcomeOf(out.findings);
  if (outcome.verdict != Verdict::kPass) return fail(outcome.verdict, outcome.reason);
  return fail(Verdict::kPass, "");
}

Json ToJson(const LoneResult& r) {
  Json findings = Json::array();
  for (const auto& f : r.findings) findings.push_back(record::ToJson(f));
  return {{"schema", record::kVerdictSchema},
          {"backend", record::NameOf(r.backend)},
          {"sealed", record::IsSealed(r.backend)},
          {"verdict", record::NameOf(r.verdict)},
          {"reason", r.reason},
          {"checks", r.checks},
          {"findings", findings},
          {"diagnostics", r.diagnostics},
          {"print", r.print},
          {"build_ms", r.build_ms},
          {"run_ms", r.run_ms},
          {"counts", r.counts},
          {"hash", r.hash},
          {"modelled", r.modelled}};
}

}  // namespace akgen::judge
