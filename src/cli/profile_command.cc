// `akgen profile`: modelled time, bottleneck, advice.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/named.h"
#include "cli/output.h"
#include "judge/judge.h"
#include "judge/lone.h"
#include "judge/profile.h"
#include "judge/simulated_chip.h"
#include "report/timeline.h"

namespace akgen::cli {
namespace {
struct ProfileArgs {
  std::string subject, task, id, launch, json, trace, html, precision = "strict";
  std::vector<std::string> include_dirs;
  bool text = false;
  uint32_t cores = 2;
  double scale = 0;
  JudgingOptions judging;
};

// What was profiled, or why it could not be.
struct Profiled {
  base::Json modelled;
  std::string name, reason;
  int exit_code = kOk;
};

// The case that moves most, unless one is named: what a kernel is tuned for.
std::string LargestCase(const task::TaskSpec& task) {
  uint64_t most = 0;
  std::string id;
  for (const auto& row : task.cases) {
    auto c = task::ResolveCase(task, row);
    if (!c.ok() || !task::TooLarge(*c).empty() || c->memory_estimate <= most) continue;
    most = c->memory_estimate, id = row.id;
  }
  return id;
}

Profiled ProfileProject(const ProfileArgs& a) {
  Profiled out;
  auto task = task::LoadTask(a.task);
  if (!task.ok()) return PrintError(task.error()), Profiled{{}, "", task.error().message, kUsage};
  for (const auto& named : {ProjectIsThere(a.subject), CasesAreThere(*task, {a.id})})
    if (!named.ok()) return PrintError(named.error()), Profiled{{}, "", named.error().message, kUsage};
  auto judge = judge::Judge::Start();
  if (!judge.ok()) return PrintError(judge.error()), Profiled{{}, "", judge.error().message, kFault};
  judge::Options o;
  a.judging.Into(o);
  o.seed = 1;  // two profiles are compared
  o.cases = {a.id.empty() ? LargestCase(*task) : a.id};
  o.precision = a.precision;
  o.include_dirs = a.include_dirs;
  o.time = {true, a.cores, true, a.scale};
  judge::Judgement j = judge->Run(a.subject, *task, o);
  out.name = fmt::format("{}, case {}", j.task, o.cases[0]);
  if (!j.cases.empty()) out.modelled = j.cases[0].modelled;
  if (!judge::HasTime(out.modelled)) out.reason = judge::WhyNoTime(out.modelled), out.exit_code = kNotPassed;
  if (out.modelled.is_null())
    out.reason = fmt::format("{}: {}", record::NameOf(j.verdict),
                             j.cases.empty() || j.cases[0].reason.empty() ? j.reason : j.cases[0].reason),
    out.exit_code = kNotPassed;
  if (j.verdict == record::Verdict::kInfraError) out.exit_code = kFault;
  return out;
}

Profiled ProfileLone(const ProfileArgs& a) {
  auto source = base::ReadFile(a.subject);
  if (!source.ok()) return PrintError(source.error()), Profiled{{}, "", source.error().message, kUsage};
  auto launch = judge::ParseLaunch(a.launch.empty() ? judge::LaunchComment(*source) : a.launch);
  if (!launch.ok()) return PrintError(launch.error()), Profiled{{}, "", launch.error().message, kUsage};
  auto chip = judge::SimulatedChip::Start();
  if (!chip.ok()) {
    PrintError(chip.error());
    return {{}, "", "helpers do not start", kFault};
  }
  judge::LoneOptions o;
  a.judging.Into(o);
  o.time = {true, a.cores, true, a.scale};
  judge::LoneResult r = judge::RunLone(**chip, a.subject, *launch, o);
  Profiled out{r.modelled, a.subject, "", kOk};
  if (!judge::HasTime(r.modelled)) out.reason = judge::WhyNoTime(r.modelled), out.exit_code = kNotPassed;
  if (r.modelled.is_null()) out.reason = fmt::format("{}: {}", record::NameOf(r.verdict), r.reason);
  return out;
}

void Show(const std::string& subject, const record::LaunchTime& t, const judge::Profile& p, const chip::Chip& chip) {
  fmt::print("{}: modelled time {:.2f} us, {} blocks on {} cores; {:.0f} % of UB used\n", subject, p.us, t.blocks,
             t.cores, 100.0 * t.ub_used / chip.ub.bytes);
  fmt::print("  {:<6} {:>12} {:>7} {:>14} {:>14} {:>13} {:>10}\n", "pipe", "busy us", "busy", "waits us",
             "conflicts us", "instructions", "B/burst");
  double core = std::max(1e-9, t.core_us);
  for (const auto& [name, pipe] : t.pipes) {
    fmt::print("  {:<6} {:>12.2f} {:>6.1f}% {:>14.2f} {:>14.2f} {:>13} {:>10}\n", name, pipe.busy_us,
               100 * pipe.busy_us / core, pipe.flag_wait_us, pipe.conflict_us, pipe.instructions,
               pipe.bursts > 0 ? fmt::format("{:.0f}", pipe.bytes / pipe.bursts) : "");
  }
  if (t.scaled)
    fmt::print("  with {} times the rounds: modelled {:.2f} us, give or take {:.2f} us\n", t.scaled->factor,
               t.scaled->us, t.scaled->bound_us);
  fmt::print("  bottleneck: {}: {}\n", p.bottleneck, p.why);
  for (const auto& a : p.advice)
    fmt::print("  advice: {}{}\n    modelled {:.2f} us, {:.1f} % less [{}]\n",
               a.file.empty() ? "" : fmt::format("{}:{}: ", a.file, a.line), a.text, a.us, 100 * (1 - a.us / p.us),
               a.change);
  if (p.advice.empty()) fmt::print("  advice: none of the changes that akgen tries would help\n");
}

int RunProfile(const ProfileArgs& a) {
  auto chip = chip::LoadChip(a.judging.chip);
  if (!chip.ok()) return PrintError(chip.error()), kUsage;
  bool lone = a.task.empty();
  if (lone && std::filesystem::is_directory(a.subject))
    return fmt::print(stderr, "error: a project needs --task\n"), kUsage;
  Profiled s = lone ? ProfileLone(a) : ProfileProject(a);
  const auto time = record::LaunchTimeFromJson(s.modelled);
  if (!time) {
    if (s.exit_code != kUsage)
      fmt::print(stderr, "{}: no modelled time: {}\n", s.name.empty() ? a.subject : s.name, s.reason);
    return s.exit_code;
  }
  judge::Profile p = judge::ProfileOf(*time, *chip);
  if (a.json != "-") Show(s.name, *time, p, *chip);
  const auto spans = record::SpansFromJson(s.modelled);
  if (a.text) fmt::print("{}", report::TimelineText(spans));
  if (!a.trace.empty())
    if (int rc = WriteJson(report::ChromeTrace(spans), a.trace)) return rc;
  if (!a.html.empty())
    if (auto status = base::WriteFileAtomic(a.html, report::TimelineHtml(spans, time->us, s.name)); !status.ok())
      return PrintError(status.error()), kFault;
  if (a.json.empty()) return s.exit_code;
  base::Json record = s.modelled;
  record.erase("spans");
  record["profile"] = judge::ToJson(p);
  record["subject"] = s.name;
  return std::max(s.exit_code, WriteJson(record, a.json));
}
}  // namespace

static void AddProfile(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ProfileArgs>();
  CLI::App* c = app.add_subcommand(
      "profile", "Where a kernel's modelled time is spent, what limits it, and what changes would gain");
  c->add_option("subject", args->subject, "Project folder (with --task), or a standalone kernel file")->required();
  c->add_option("--task", args->task, "Task name or folder");
  c->add_option("--case", args->id, "Case id; default: the one with most data");
  c->add_option("--launch", args->launch, "Launch line of a standalone kernel; default: its // launch: comment");
  args->judging.AddTo(*c);
  c->add_option("--precision", args->precision, "strict, or upstream")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str();
  c->add_option("-I,--include", args->include_dirs, "Further include folders for host code");
  c->add_option("--cores", args->cores, "Cores whose timeline is kept")->capture_default_str();
  c->add_option("--scale", args->scale,
                "Also the modelled time of this many times the iterations of the kernel's loop, with an error bound");
  c->add_flag("--text", args->text, "Print the timeline, a row of characters per core and pipe");
  c->add_option("--trace", args->trace, "Write the timeline in Chrome's trace format (Perfetto reads it)");
  c->add_option("--html", args->html, "Write the timeline as one page");
  c->add_option("--json", args->json, "Write numbers, bottleneck and advice to this file (- for standard output)");
  c->footer(
      "Examples: akgen profile examples/kernels/add_double_buffer --task UnalignAdd --html timeline.html\n"
      "          akgen profile add.cpp --launch \"blocks=8 args=in:f16[65536],in:f16[65536],out:f16[65536]\" --text\n"
      "Exit code: 0 profiled, 1 the kernel does not run to its end, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunProfile(*args); });
}

static const Command kProfileCommand{30, AddProfile};

}  // namespace akgen::cli
