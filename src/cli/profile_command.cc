// `akgen profile`: modelled time, bottleneck, advice.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "base/files.h"
#include "chip/chip.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/named.h"
#include "cli/output.h"
#include "cli/profile_text.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "judge/judge.h"
#include "judge/run/lone.h"
#include "judge/run/simulated_chip.h"
#include "judge/time/launch_profile.h"
#include "report/profile_page.h"
#include "report/timeline.h"

namespace akgen::cli {
namespace {
struct ProfileArgs {
  std::string subject, task, id, launch, json, trace, html, against, precision = "strict";
  std::vector<std::string> include_dirs;
  bool text = false;
  uint32_t cores = 0;
  double scale = 0;
  JudgingOptions judging;
};

// What was profiled, or why it could not be.
struct Profiled {
  base::Json modelled;
  std::string name, reason;
  std::string inputs;  // of the case
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

judge::TimeOptions TimesOf(const ProfileArgs& a) {
  return {true, a.cores ? a.cores : UINT32_MAX, true, a.scale};
}

std::string InputsText(const task::TaskSpec& task, const std::string& id) {
  std::string out;
  for (const auto& row : task.cases) {
    const auto c = task::ResolveCase(task, row);
    if (row.id != id || !c.ok()) continue;
    for (const auto& input : c->inputs)
      for (const auto& t : task::Flatten({input}))
        out += fmt::format("{}{} {}[{}]", out.empty() ? "" : ", ", input.name,
                           base::NameOf(t.dtype), fmt::join(t.shape, ", "));
  }
  return out;
}

Profiled ProfileProject(const ProfileArgs& a) {
  Profiled out;
  auto task = task::LoadTask(a.task);
  if (!task.ok())
    return PrintError(task.error()), Profiled{{}, "", task.error().message, "", kUsage};
  for (const auto& named : {ProjectIsThere(a.subject), CasesAreThere(*task, {a.id})})
    if (!named.ok())
      return PrintError(named.error()), Profiled{{}, "", named.error().message, "", kUsage};
  auto judge = judge::Judge::Start();
  if (!judge.ok())
    return PrintError(judge.error()), Profiled{{}, "", judge.error().message, "", kFault};
  judge::Options o;
  a.judging.Into(o);
  o.seed = 1;  // two profiles are compared
  o.cases = {a.id.empty() ? LargestCase(*task) : a.id};
  o.precision = a.precision;
  o.include_dirs = a.include_dirs;
  o.time = TimesOf(a);
  Progress bar;
  o.progress = bar.Steps();
  judge::Judgement j = judge->Run(a.subject, *task, o);
  bar.End();
  out.name = fmt::format("{}, case {}", j.task, o.cases[0]);
  out.inputs = InputsText(*task, o.cases[0]);
  if (!j.cases.empty()) out.modelled = j.cases[0].modelled;
  if (!judge::HasTime(out.modelled))
    out.reason = judge::WhyNoTime(out.modelled), out.exit_code = kNotPassed;
  if (out.modelled.is_null())
    out.reason =
        fmt::format("{}: {}", record::NameOf(j.verdict),
                    j.cases.empty() || j.cases[0].reason.empty() ? j.reason : j.cases[0].reason),
    out.exit_code = kNotPassed;
  if (j.verdict == record::Verdict::kInfraError) out.exit_code = kFault;
  return out;
}

Profiled ProfileLone(const ProfileArgs& a) {
  auto source = base::ReadFile(a.subject);
  if (!source.ok())
    return PrintError(source.error()), Profiled{{}, "", source.error().message, "", kUsage};
  auto launch = judge::ParseLaunch(a.launch.empty() ? judge::LaunchComment(*source) : a.launch);
  if (!launch.ok())
    return PrintError(launch.error()), Profiled{{}, "", launch.error().message, "", kUsage};
  auto chip = judge::SimulatedChip::Start();
  if (!chip.ok()) {
    PrintError(chip.error());
    return {{}, "", "helpers do not start", "", kFault};
  }
  judge::LoneOptions o;
  a.judging.Into(o);
  o.time = TimesOf(a);
  judge::LoneResult r = judge::RunLone(**chip, a.subject, *launch, o);
  Profiled out{r.modelled, a.subject, "",
               a.launch.empty() ? judge::LaunchComment(*source) : a.launch, kOk};
  if (!judge::HasTime(r.modelled))
    out.reason = judge::WhyNoTime(r.modelled), out.exit_code = kNotPassed;
  if (r.modelled.is_null()) out.reason = fmt::format("{}: {}", record::NameOf(r.verdict), r.reason);
  return out;
}

size_t Columns() {
  const char* said = std::getenv("COLUMNS");
  const int n = said ? std::atoi(said) : 0;
  return n >= 60 ? static_cast<size_t>(n) : 120;
}

std::string LineOf(const std::string& text, int line) {
  size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i)
    at = text.find('\n', at), at += at != std::string::npos;
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

void AddText(judge::LaunchProfile& p, const report::ReadSource& read) {
  std::map<std::string, std::string> texts;
  for (auto& l : p.lines) {
    const auto [known, fresh] = texts.try_emplace(l.file);
    if (fresh) known->second = read(l.file);
    l.text = LineOf(known->second, l.line);
  }
}

// What --json writes.
base::Json RecordOf(const Profiled& s, const judge::LaunchProfile& p, const chip::Chip& chip) {
  base::Json record = s.modelled;
  record.erase("spans");
  record["profile"] = judge::ToJson(p);
  record["subject"] = s.name, record["inputs"] = s.inputs, record["chip"] = chip.name;
  record["vector_cores"] = chip.aiv, record["cube_cores_of_chip"] = chip.aic,
  record["ub_bytes"] = chip.UsableUb();
  return record;
}

struct Before {
  base::Json record;  // null: none asked for
  judge::EarlierProfile profile;
};
base::Result<Before> ReadBefore(const std::string& file) {
  Before out;
  if (file.empty()) return out;
  const auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  out.record = base::Parse(*text);
  auto profile = judge::EarlierProfileFromJson(out.record, file);
  if (!profile.ok()) return profile.error();
  out.profile = std::move(*profile);
  return out;
}

int RunProfile(const ProfileArgs& a) {
  auto chip = chip::LoadChip(a.judging.chip);
  if (!chip.ok()) return PrintError(chip.error()), kUsage;
  const auto before = ReadBefore(a.against);
  if (!before.ok()) return PrintError(before.error()), kUsage;
  bool lone = a.task.empty();
  if (lone && std::filesystem::is_directory(a.subject))
    return fmt::print(stderr, "error: a project needs --task\n"), kUsage;
  Profiled s = lone ? ProfileLone(a) : ProfileProject(a);
  const auto time = record::LaunchTimeFromJson(s.modelled);
  if (!time) {
    if (s.exit_code != kUsage)
      fmt::print(stderr, "{}: no modelled time: {}\n", s.name.empty() ? a.subject : s.name,
                 s.reason);
    return s.exit_code;
  }
  const record::Timeline timeline = record::TimelineFromJson(s.modelled);
  auto profiled = judge::LaunchProfileOf(*time, timeline, *chip);
  if (!profiled.ok()) return PrintError(profiled.error()), kFault;
  judge::LaunchProfile& p = *profiled;
  const report::ReadSource read = SourcesOf(a.subject);
  p.subject = s.name;
  AddText(p, read);
  if (a.json != "-") {
    fmt::print("{}", ProfileText(p, *time, *chip, Columns()));
    if (!before->record.is_null())
      fmt::print("{}", ChangesText(p, *time, before->profile, Columns()));
  }
  if (a.text) fmt::print("\n{}", report::TimelineText(timeline));
  if (!a.trace.empty())
    if (int rc = WriteJson(report::ChromeTrace(timeline), a.trace)) return rc;
  const base::Json record = RecordOf(s, p, *chip);
  if (!a.html.empty()) {
    const std::string page =
        report::ProfilePage({s.name, record, timeline, p.path, before->record, read});
    if (auto status = base::WriteFileAtomic(a.html, page); !status.ok())
      return PrintError(status.error()), kFault;
  }
  return a.json.empty() ? s.exit_code : std::max(s.exit_code, WriteJson(record, a.json));
}
}  // namespace

static void AddProfile(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ProfileArgs>();
  CLI::App* c = app.add_subcommand(
      "profile",
      "Where a kernel's modelled time is spent, what limits it, and what changes would gain");
  c->add_option("subject", args->subject,
                "Project folder (with --task), or a standalone kernel file")
      ->required();
  c->add_option("--task", args->task, "Task name or folder");
  c->add_option("--case", args->id, "Case id; default: the one with most data");
  c->add_option("--launch", args->launch,
                "Launch line of a standalone kernel; default: its // launch: comment");
  args->judging.AddTo(*c);
  c->add_option("--precision", args->precision, "strict, or upstream")
      ->check(CLI::IsMember({"strict", "upstream"}))
      ->capture_default_str();
  c->add_option("-I,--include", args->include_dirs, "Further include folders for host code");
  c->add_option("--cores", args->cores, "Cores whose timeline is kept, 0: all")
      ->capture_default_str();
  c->add_option("--scale", args->scale,
                "Also the modelled time of this many times the iterations of the kernel's loop, "
                "with an error bound");
  c->add_flag("--text", args->text, "Print the timeline, a row of characters per core and pipe");
  c->add_option("--trace", args->trace,
                "Write the timeline in Chrome's trace format (Perfetto reads it)");
  c->add_option("--html", args->html, "Write a page: timeline, roofline, source lines, advice");
  c->add_option("--against", args->against,
                "Compare with an earlier profile, a file that --json wrote");
  c->add_option("--json", args->json,
                "Write numbers, bottleneck and advice to this file (- for standard output)");
  c->footer(
      "Examples: akgen profile examples/kernels/add_double_buffer --task UnalignAdd --html "
      "profile.html\n"
      "          akgen profile MINE --task UnalignAdd --json before.json     then, after a "
      "change:\n"
      "          akgen profile MINE --task UnalignAdd --against before.json --html profile.html\n"
      "          akgen profile add.cpp --launch \"blocks=8 "
      "args=in:f16[65536],in:f16[65536],out:f16[65536]\" --text\n"
      "Exit code: 0 profiled, 1 the kernel does not run to its end, 2 usage error, 3 internal "
      "error.");
  c->callback([args, &exit_code] { exit_code = RunProfile(*args); });
}

static const Command kProfileCommand{30, AddProfile};

}  // namespace akgen::cli
