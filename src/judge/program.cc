#include "judge/program.h"

#include <filesystem>

#include "chip/chip.h"
#include "judge/blame.h"
#include "judge/findings.h"
#include "sim/check/checks.h"

namespace akgen::judge {
namespace fs = std::filesystem;
namespace {
using base::Json;
using record::Verdict;

toolchain::BuildRequest BuildOf(const ProgramRequest& r, const chip::Chip& chip) {
  toolchain::BuildRequest b;
  b.device.arch = chip.npu_arch;
  b.kind = "program";
  for (const auto& s : r.sources) b.sources.push_back({fs::absolute(s).lexically_normal().string(), std::nullopt});
  b.project_dir = fs::absolute(r.sources.front()).lexically_normal().parent_path().string();
  for (const auto& d : r.include_dirs) b.include_dirs.push_back(fs::absolute(d).lexically_normal().string());
  b.defines = r.defines;
  return b;
}

Json RunOf(const ProgramRequest& r, const std::string& so, const chip::Chip& chip) {
  Json argv = Json::array({fs::path(r.sources.front()).stem().string()});
  for (const auto& a : r.arguments) argv.push_back(a);
  return {{"cmd", "program"},
          {"so", so},
          {"argv", argv},
          {"dir", fs::absolute(r.cwd).lexically_normal().string()},
          {"chip", chip::ToJson(chip)},
          {"checks", r.checks},
          {"limits", {{"wall_ms", r.timeout_ms}}}};
}
}  // namespace

ProgramResult RunProgram(toolchain::Builder& builder, runner::Runner& runner, const ProgramRequest& request) {
  ProgramResult out;
  out.checks = sim::NamesOf(sim::ChecksFromJson(request.checks));
  auto end = [&](Verdict v, std::string reason) {
    out.verdict = v;
    out.reason = std::move(reason);
    return out;
  };
  auto chip = chip::LoadChip(request.chip);
  if (!chip.ok()) return end(Verdict::kInfraError, chip.error().message);
  if (!chip->runnable) return end(Verdict::kUnsupported, "the chip " + chip->name + " is known but not simulated");
  auto built = builder.Build(BuildOf(request, *chip));
  if (!built.ok()) return end(Verdict::kInfraError, built.error().message);
  out.build_ms = built->build_ms;
  for (const auto& d : built->diagnostics) out.diagnostics.push_back(toolchain::ToJson(d));
  if (!built->ok) return end(VerdictOf(*built), ReasonOf(*built));
  auto reply = runner.Call(RunOf(request, built->so, *chip), {}, request.timeout_ms + 5000);
  if (!reply.ok()) return end(VerdictOf(reply.error()), reply.error().message);
  RunOutcome outcome = TakenApart([&] {
    out.console = reply->value("console", "");
    out.exit_code = reply->value("exit_code", 0);
    out.run_ms = reply->value("process", Json::object()).value("wall_ms", 0.0);
    out.findings = NameFindings(builder, built->so, reply->value("findings", Json::array()));
    for (const char* k : {"launches", "vector_ops", "copies", "bytes_in", "bytes_out"})
      out.counts[k] = reply->value(k, uint64_t{0});
  });
  if (outcome.verdict != Verdict::kPass) return end(outcome.verdict, outcome.reason);
  if (auto unloaded = OutcomeOfLoading(*reply)) return end(unloaded->verdict, unloaded->reason);
  outcome = OutcomeOf(*reply, out.findings);
  if (outcome.verdict != Verdict::kPass) return end(outcome.verdict, outcome.reason);
  outcome = OutcomeOf(out.findings);
  if (outcome.verdict != Verdict::kPass) return end(outcome.verdict, outcome.reason);
  if (out.exit_code != 0) return end(Verdict::kWrongAnswer, "it ended with exit code " + std::to_string(out.exit_code));
  return end(Verdict::kPass, "");
}

Json ToJson(const ProgramResult& r) {
  Json findings = Json::array();
  for (const auto& f : r.findings) findings.push_back(record::ToJson(f));
  constexpr record::Backend kBackend = record::Backend::kNative;  // its main() is the user's own code
  return {{"schema", record::kVerdictSchema},
          {"backend", record::NameOf(kBackend)},
          {"sealed", record::IsSealed(kBackend)},
          {"verdict", record::NameOf(r.verdict)},
          {"reason", r.reason},
          {"checks", r.checks},
          {"exit_code", r.exit_code},
          {"findings", findings},
          {"diagnostics", r.diagnostics},
          {"console", r.console},
          {"build_ms", r.build_ms},
          {"run_ms", r.run_ms},
          {"counts", r.counts}};
}

}  // namespace akgen::judge
