#include "judge/run/program.h"

#include <filesystem>

#include "base/files.h"
#include "base/version.h"
#include "chip/chip.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/run/simulated_chip.h"
#include "judge/time/timing.h"
#include "sim/check/checks.h"
#include "toolchain/host_section.h"

namespace akgen::judge {
namespace fs = std::filesystem;
namespace {
using base::Json;
using record::Verdict;

std::string InQuotes(const std::string& text) { return base::Dump(base::Json(text)); }

// The main() of a program that is a PyTorch extension (include/ascendc/akgen/torch/call.h).
std::string CallOf(const ProgramRequest& r) {
  std::string expected;
  for (const auto& file : r.expected)
    expected +=
        (expected.empty() ? "" : ", ") + InQuotes(fs::absolute(file).lexically_normal().string());
  return "#include \"akgen/torch/call.h\"\nint main() { return akgen_torch::Main(" +
         InQuotes(r.call) + ", " + std::to_string(r.seed) + "u, {" + expected + "}, " +
         base::Dump(base::Json(r.tolerance)) + "); }\n";
}

toolchain::BuildRequest BuildOf(const ProgramRequest& r, const chip::Chip& chip) {
  toolchain::BuildRequest b;
  b.device.arch = chip.npu_arch;
  b.kind = "program";
  for (const auto& s : r.sources) {
    b.sources.push_back({fs::absolute(s).lexically_normal().string(), std::nullopt});
    if (auto text = base::ReadFile(s); text.ok())
      b.sources.back().text = toolchain::WithLaunchFunctions(*text);
  }
  if (!r.call.empty()) b.sources.push_back({"/akgen_call.cpp", CallOf(r)});
  b.project_dir = fs::absolute(r.sources.front()).lexically_normal().parent_path().string();
  for (const auto& d : r.include_dirs)
    b.include_dirs.push_back(fs::absolute(d).lexically_normal().string());
  b.defines = r.defines;
  return b;
}

ProgramLaunch LaunchOf(const ProgramRequest& r, const std::string& so, chip::Chip chip) {
  ProgramLaunch l;
  l.object = so;
  l.folder = fs::absolute(r.cwd).lexically_normal().string();
  for (const auto& list : {r.readable, r.expected})
    for (const auto& p : list) l.readable.push_back(fs::absolute(p).lexically_normal().string());
  l.argv = {fs::path(r.sources.front()).stem().string()};
  l.argv.insert(l.argv.end(), r.arguments.begin(), r.arguments.end());
  l.chip = std::move(chip);
  l.checks = r.checks;
  l.wall_ms = r.timeout_ms;
  return l;
}
}  // namespace

namespace {
// `times` as sim::ProgramReport has them.
ProgramTime ProgramTimeFromJson(const Json& times, uint64_t launches) {
  ProgramTime out;
  if (launches == 0) out.none = "nothing was launched";
  if (times.size() < launches) out.none = "too many launches";
  for (Json time : times) {
    NoteRange(time);
    if (!HasTime(time) && out.none.empty()) out.none = WhyNoTime(time);
    out.us += time.value("us", 0.0);
    Json& one = out.launches.emplace_back(Json::object());
    for (const char* key : {"blocks", "us", "range_us", "regime", "trace_cut", "unmodelled"})
      if (time.contains(key)) one[key] = time[key];
  }
  return out;
}
}  // namespace

ProgramResult RunProgram(Executor& executor, const ProgramRequest& request) {
  ProgramResult out;
  out.checks = sim::NamesOf(sim::ChecksFromJson(request.checks));
  if (!sim::ChecksFromJson(request.checks).auto_sync) out.build_options = {sim::kAutoSyncOff};
  auto end = [&](Verdict v, std::string reason) {
    out.verdict = v;
    out.reason = std::move(reason);
    return out;
  };
  chip::Chip chip;
  if (auto no = LoadRunnable(request.chip, &chip)) return end(no->verdict, no->reason);
  for (const auto& source : request.sources)
    if (auto text = base::ReadFile(source); text.ok())
      if (const std::string name = toolchain::ComputedByHost(*text); !name.empty())
        return end(Verdict::kRejected, "the host code computes with " + name + ": a kernel has to");
  auto built = executor.Build(BuildOf(request, chip));
  if (!built.ok()) return end(Verdict::kInfraError, built.error().message);
  out.build_ms = built->build_ms;
  out.diagnostics = built->diagnostics;
  if (!built->ok) {
    const std::string reason = ReasonOf(*built);
    const bool launch = reason.find("'aclrtlaunch_") != reason.npos;  // toolchain/launch_header.h
    return end(VerdictOf(*built),
               reason + (launch ? "; it is made of the kernel's source: name that too" : ""));
  }
  ProgramLaunch launch = LaunchOf(request, built->so, chip);
  if (request.time) {
    auto timing = TimingOf(chip);
    if (!timing.ok()) return end(Verdict::kInfraError, timing.error().message);
    launch.timing = std::move(*timing);
  }
  const ProgramReply reply = executor.RunProgram(launch);
  out.console = reply.console;
  out.exit_code = reply.exit_code;
  out.run_ms = reply.wall_ms;
  out.findings = NameFindings(executor, built->so, reply.findings);
  if (request.time) out.time = ProgramTimeFromJson(reply.times, reply.launches);
  if (request.time && !executor.CountsWork()) out.time->none = "the builder counts no scalar work";
  out.counts = {{"launches", reply.launches},
                {"vector_ops", reply.vector_ops},
                {"copies", reply.copies},
                {"bytes_in", reply.bytes_in},
                {"bytes_out", reply.bytes_out}};
  if (auto unloaded = OutcomeOfLoading(reply.status, reply.detail))
    return end(unloaded->verdict, unloaded->reason);
  RunOutcome outcome = OutcomeOf(reply.status, reply.detail, out.findings);
  if (outcome.verdict != Verdict::kPass) return end(outcome.verdict, outcome.reason);
  outcome = OutcomeOf(out.findings);
  if (outcome.verdict != Verdict::kPass) return end(outcome.verdict, outcome.reason);
  if (out.exit_code != 0)
    return end(Verdict::kWrongAnswer, "it ended with exit code " + std::to_string(out.exit_code));
  return end(Verdict::kPass, "");
}

Json ToJson(const ProgramResult& r) {
  Json findings = Json::array();
  for (const auto& f : r.findings) findings.push_back(record::ToJson(f));
  constexpr record::Backend kBackend =
      record::Backend::kNative;  // its main() is the user's own code
  Json out{{"schema", record::kVerdictSchema},
           {"version", base::kVersion},
           {"backend", record::NameOf(kBackend)},
           {"sealed", record::IsSealed(kBackend)},
           {"verdict", record::NameOf(r.verdict)},
           {"reason", r.reason},
           {"checks", r.checks},
           {"build_options", r.build_options},
           {"exit_code", r.exit_code},
           {"findings", findings},
           {"diagnostics", record::ToJson(r.diagnostics)},
           {"console", r.console},
           {"build_ms", r.build_ms},
           {"run_ms", r.run_ms},
           {"counts", r.counts}};
  if (r.time && r.time->none.empty())
    out["modelled"] = {{"us", r.time->us}, {"launches", r.time->launches}};
  else if (r.time)
    out["modelled"] = {{"reason", "no time: " + r.time->none}, {"launches", r.time->launches}};
  return out;
}

}  // namespace akgen::judge
