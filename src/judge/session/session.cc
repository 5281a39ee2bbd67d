#include "judge/session/session.h"

#include <algorithm>

#include "base/files.h"
#include "base/hash.h"
#include "base/regex.h"
#include "base/seed.h"
#include "judge/host/definition.h"
#include "judge/host/requests.h"
#include "judge/host/skeleton.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/run/simulated_chip.h"
#include "judge/session/provenance.h"
#include "sim/check/checks.h"
#include "task/range.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {
using base::Json;
using record::Verdict;

void Session::AddBuild(const toolchain::BuildReply& reply) {
  out_.repeatable = out_.repeatable && Repeatable(reply);
  out_.diagnostics.insert(out_.diagnostics.end(), reply.diagnostics.begin(),
                          reply.diagnostics.end());
  for (const auto& w : reply.rewrites) {
    Json j{{"file", w.file}, {"line", w.line}, {"what", w.what}};
    if (std::find(out_.rewrites.begin(), out_.rewrites.end(), j) == out_.rewrites.end())
      out_.rewrites.push_back(j);
  }
}

// The candidate's host side, or in kernel-only mode the one that is given to it.
bool Session::HostRequest(toolchain::BuildRequest& request) {
  if (!options_.kernel_only) {
    request = toolchain::HostRequest(project_);
  } else if (options_.host.empty()) {
    auto text = HostSkeleton(task_);
    if (!text.ok()) return Stop(Verdict::kInfraError, text.error().message);
    request.kind = "host";
    request.sources = {{"/op_host/" + task_.entry + ".cpp", *text}};
    out_.provenance.host = base::Sha256(*text);
  } else {
    auto host = toolchain::LoadHost(options_.host);
    if (!host.ok())
      return Stop(Verdict::kInfraError,
                  host.error().code + ": " + host.error().message + ": " + host.error().where);
    request = toolchain::HostRequest(*host);
    out_.provenance.host = base::HashOfFolder(host->dir / "op_host");
  }
  const auto beside =
      options_.kernel_only ? options_.include_dirs : Around().HostIncludes(project_.dir);
  request.include_dirs.insert(request.include_dirs.end(), beside.begin(), beside.end());
  return true;
}

std::string Session::HostKey(const std::string& dir) {
  auto project = toolchain::LoadProject(dir, !options_.kernel_only);
  if (!project.ok()) return "";
  project_ = *project;
  toolchain::BuildRequest request;
  if (!HostRequest(request)) return "";
  request.only_key = true;
  auto reply = executor_.Build(request);
  return reply.ok() ? reply->key : "";
}

bool Session::AddLibraries() {
  if (options_.kernel_only) return true;
  for (const auto& [build, whole] : Around().Libraries(project_)) {
    auto reply = executor_.Build(build);
    if (!reply.ok()) return Stop(Verdict::kInfraError, reply.error().message);
    out_.build_libraries_ms += reply->build_ms;
    out_.repeatable = out_.repeatable && Repeatable(*reply);
    if (reply->failure == "infra") return Stop(Verdict::kInfraError, ReasonOf(*reply));
    if (whole) {  // as its own sources: none is left out
      AddBuild(*reply);
      if (!reply->FirstError().empty()) return HostDoesNotBuild(*reply);
    }
    if (reply->ok)
      (whole ? host_request_.whole_libraries : host_request_.libraries).push_back(reply->so);
    libraries_.push_back(std::move(*reply));
  }
  return true;
}

bool Session::HostDoesNotBuild(const toolchain::BuildReply& reply) {
  out_.lacking = reply.lacking;
  return Stop(VerdictOf(reply), "host code does not build: " + ReasonOf(reply, Around()));
}

namespace {
// Empty where the range group is to be run.
std::string WhyNoRange(const Options& options, const task::TaskSpec& task) {
  if (!options.range) return "not run: left out";
  if (options.inputs == "upstream") return "not run: inputs are upstream's";
  if (!options.cases.empty()) return "not run: single cases were asked for";
  if (options.precision == "upstream") return "not run: upstream's rule has its own inputs";
  if (options.expected || options.fill_inputs || options.probe || task.reference.empty())
    return "not run: inputs or expected values are the user's own";
  return "";
}

bool LacksSymbol(const Description& host) {
  return host.status == "stopped" && host.detail.find("undefined symbol") != std::string::npos;
}

// Does one of the sources speak of what is said to be undefined, "... undefined symbol:
// 'optiling::Tiling::Run()'"?
bool Mentions(const std::vector<toolchain::BuildRequest>& libraries, const std::string& undefined) {
  const size_t quote = undefined.find('\''), end = undefined.find_first_of("(<'", quote + 1);
  if (quote == std::string::npos || end == std::string::npos) return false;
  const size_t begin = undefined.find_last_of(":' ", end - 1) + 1;
  if (begin >= end) return false;
  const std::string name = undefined.substr(begin, end - begin);
  for (const auto& library : libraries)
    for (const auto& source : library.sources)
      if (auto text = base::ReadFile(source.path);
          text.ok() && text->find(name) != std::string::npos)
        return true;
  return false;
}
}  // namespace

// Sources for other chips are compiled when the host calls what they define: most hosts branch to
// them, and never go.
bool Session::LeaveOtherChipsOut() {
  if (!Mentions(Around().OtherChips(project_), host_.detail)) return LinkOtherChips();
  others_left_out_ = host_request_.open_ended = true;
  if (!LoadHost()) return false;
  const bool loads =
      (host_.status == "ok" || host_.status == "failed") && !ChooseOp(host_, task_).name.empty();
  return loads || LinkOtherChips();
}

bool Session::LinkOtherChips() {
  others_left_out_ = host_request_.open_ended = false;
  for (const toolchain::BuildRequest& library : Around().OtherChips(project_)) {
    auto reply = executor_.Build(library);
    if (!reply.ok()) return Stop(Verdict::kInfraError, reply.error().message);
    out_.build_libraries_ms += reply->build_ms;
    if (reply->ok) host_request_.libraries.insert(host_request_.libraries.begin(), reply->so);
    libraries_.push_back(std::move(*reply));
  }
  if (!LoadHost()) return false;
  if (!LacksSymbol(host_)) return true;
  // What one of them would have defined, had it compiled, is not called on this chip.
  for (const auto& library : libraries_) {  // those for other chips are the last ones
    const auto error = std::find_if(library.diagnostics.begin(), library.diagnostics.end(),
                                    [](const auto& d) { return d.severity == "error"; });
    if (error != library.diagnostics.end()) not_built_ = error->file + ": " + error->message;
  }
  if (not_built_.empty()) return true;
  not_built_ = host_.detail + " (" + not_built_ + ")";
  host_request_.open_ended = true;
  if (!LoadHost()) return false;
  // Its own start calls what nothing defines: that is what is wrong, and not how the call ended.
  if (host_.status != "ok" && host_.status != "failed")
    host_ = {}, host_.status = "stopped", host_.detail = not_built_;
  return true;
}

namespace {
// Host code may say the sizes of a kernel's elements with their names, or have types of those names
// itself.
constexpr const char* kElementTypes =
    "using half = op::fp16_t;\nusing bfloat16_t = op::bfloat16;\n";

bool WantsElementTypes(const std::string& error) {
  return (error.find("undeclared") != std::string::npos ||
          error.find("unknown type name") != std::string::npos) &&
         (error.find("'half'") != std::string::npos ||
          error.find("'bfloat16_t'") != std::string::npos);
}
}  // namespace

// A source that no build file compiles is the repository's in name only: one that does not build is
// left out.
base::Result<toolchain::BuildReply> Session::BuildHostSources() {
  std::vector<std::filesystem::path> unnamed;
  for (bool first = true;; first = false) {
    auto reply = executor_.Build(host_request_);
    if (!reply.ok() || reply->ok) return reply;
    if (first && !options_.kernel_only) unnamed = Around().Unnamed(project_);
    const std::string error = reply->FirstError(), file = error.substr(0, error.find(':'));
    if (host_request_.prelude.empty() && WantsElementTypes(error)) {
      host_request_.prelude = kElementTypes;
      continue;
    }
    const auto faulty =
        std::find_if(unnamed.begin(), unnamed.end(), [&](const std::filesystem::path& source) {
          return source.filename() == std::filesystem::path(file).filename();
        });
    if (faulty == unnamed.end()) return reply;
    std::erase_if(host_request_.sources,
                  [&](const auto& source) { return source.path == faulty->string(); });
    out_.rewrites.push_back(
        {{"file", file}, {"line", 0}, {"what", "left out: no build file names it, and " + error}});
    unnamed.erase(faulty);
  }
}

// Builds and loads; `host_` says how that went.
bool Session::LoadHost() {
  auto reply = BuildHostSources();
  if (!reply.ok()) return Stop(Verdict::kInfraError, reply.error().message);
  out_.build_host_ms += reply->build_ms;
  if (!options_.include_dirs.empty() || !host_request_.libraries.empty() ||
      !host_request_.whole_libraries.empty())
    out_.provenance.host_build = reply->key;
  AddBuild(*reply);
  if (!reply->ok) return HostDoesNotBuild(*reply);
  host_so_ = reply->so;
  // What nothing defines is not called from outside; what there is may be closed to host code.
  std::string missing;
  std::erase_if(reply->imports, [&](const std::string& name) {
    if (!ClosedToHost({name})) return false;
    auto why = WhyNotLoaded(name);
    if (why && missing.empty()) missing = *why;
    return why.has_value();
  });
  if (auto closed = ClosedToHost(reply->imports)) return Refuse(*BreachInHostImports({*closed}));
  if (missing.empty() || host_request_.open_ended)
    host_ = executor_.Describe(host_so_, chip_);
  else
    host_ = {}, host_.status = "stopped", host_.detail = missing;
  return true;
}

// Operators that talk to other devices say so in their definition.
bool Session::HasCollectives() const {
  static const base::Regex call(R"(->\s*MC2\s*\(\s*\))");
  return std::any_of(
      project_.host_sources.begin(), project_.host_sources.end(), [](const auto& source) {
        const auto text = base::ReadFile(source);
        return text.ok() && call.Find(toolchain::BlankCommentsAndStrings(*text)).has_value();
      });
}

bool Session::BuildHost() {
  if (!options_.kernel_only && HasCollectives())
    return Stop(Verdict::kUnsupported,
                "the operator communicates with other devices (MC2 in its definition); akgen "
                "simulates one device");
  if (!HostRequest(host_request_) || !AddLibraries() || !LoadHost()) return false;
  if (LacksSymbol(host_) && !options_.kernel_only && !LeaveOtherChipsOut()) return false;
  return ReadDefinition();
}

bool Session::ReadDefinition() {
  if (host_.status == "timeout" || host_.status == "error")
    return Stop(OutcomeOf(host_.status, host_.detail, {}).verdict,
                "the op definition could not be read: " + host_.detail);
  if (host_.status == "malformed") return Stop(Verdict::kBuildError, host_.detail);
  if (LacksSymbol(host_))
    for (const auto& library : libraries_)  // where it would be, had akgen what the library needs
      if (!library.lacking.empty()) {
        out_.lacking.insert(out_.lacking.end(), library.lacking.begin(), library.lacking.end());
        return Stop(Verdict::kUnsupported,
                    "host code: " + host_.detail + "; akgen does not have the API " +
                        library.lacking.front() + ", which the libraries it is linked with need");
      }
  if (auto unloaded = OutcomeOfLoading(host_.status, host_.detail))
    return Stop(unloaded->verdict, "host code: " + unloaded->reason);
  op_ = ChooseOp(host_, task_);
  if (op_.name.empty())
    return Stop(Verdict::kBuildError, "the host code registers no operator" +
                                          (host_.detail.empty() ? "" : ": " + host_.detail));
  std::vector<std::string> names = op_.kernel_names;
  names.push_back(KernelNameOf(op_.name));
  toolchain::ChooseEntry(names, &project_);
  TakeBuildOptions();
  return true;
}

// What was asked for goes before what the project's build files say.
void Session::TakeBuildOptions() {
  build_options_ = toolchain::OptionsOf(project_, op_.name, chip_.ConfigName());
  auto_sync_ = build_options_.auto_sync;
  if (options_.checks.contains("auto_sync"))
    auto_sync_ = sim::ChecksFromJson(options_.checks).auto_sync;
  out_.build_options = build_options_.said;
  if (auto_sync_ == build_options_.auto_sync) return;
  const std::string off = sim::kAutoSyncOff;
  if (auto_sync_)
    std::erase(out_.build_options, off);
  else
    out_.build_options.insert(out_.build_options.begin(), off);
}

Judgement Session::Describe(const std::string& dir) {
  out_.project = dir;
  out_.chip = options_.chip;
  if (Prepare(dir)) out_.verdict = Verdict::kPass;
  return out_;
}

bool Session::Prepare(const std::string& dir) {
  const auto no = LoadRunnable(options_.chip, &chip_);
  if (!chip_.name.empty()) out_.provenance.chip = HashOfChip(chip_);
  if (no) return Stop(no->verdict, no->reason);
  auto project = toolchain::LoadProject(dir, !options_.kernel_only);
  if (!project.ok())
    return Stop(project.error().code == "AK0318" ? Verdict::kUnsupported : Verdict::kBuildError,
                project.error().code + ": " + project.error().message);
  project_ = *project;
  out_.provenance.candidate = base::HashOfFolder(project_.dir);
  if (auto breach = BreachInSources(project_.dir)) return Refuse(*breach);
  return BuildHost();
}

// The first case that did not pass decides; skipped cases do not count as passed nor as failed.
void Session::Summarise() {
  size_t passed = 0, skipped = 0;
  const CaseResult* bad = nullptr;
  for (const CaseResult& r : out_.cases) {
    skipped += r.skipped;
    passed += r.verdict == Verdict::kPass;
    if (!bad && !r.skipped && r.verdict != Verdict::kPass) bad = &r;
  }
  if (bad) {
    out_.verdict = bad->verdict;
    out_.reason = "case " + bad->id + ": " + bad->reason;
  } else if (passed) {
    out_.verdict = Verdict::kPass;
    if (skipped) out_.reason = std::to_string(skipped) + " cases skipped";
  } else {
    out_.verdict = Verdict::kUndecided;
    out_.reason = out_.cases.empty() ? "no case was asked for" : "every case was skipped";
  }
}

// Those that were asked for; nothing when one of them is not there.
std::optional<std::vector<const task::CaseRow*>> Session::Rows() {
  std::vector<const task::CaseRow*> rows;
  if (options_.cases.empty())
    for (const auto& row : options_.rows.empty() ? task_.cases : options_.rows)
      rows.push_back(&row);
  for (const auto& id : options_.cases) {
    rows.push_back(task_.FindCase(id));
    if (rows.back()) continue;
    Stop(Verdict::kInfraError, "AK0103: the task has no case " + id);
    return std::nullopt;
  }
  return rows;
}

void Session::RunRows(const std::vector<const task::CaseRow*>& rows, size_t before, size_t all) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (options_.progress) options_.progress(before + i, all, "case " + rows[i]->id);
    out_.cases.emplace_back();
    CaseResult& r = out_.cases.back();
    if (auto odd = TakenApart([&] { RunCase(*rows[i], r); }); odd.verdict != Verdict::kPass)
      r.verdict = odd.verdict, r.reason = odd.reason;
  }
}

// The range group decides about what has passed so far. It ends at the first case that does not
// pass, the only one that is kept.
void Session::RunRange() {
  out_.range = WhyNoRange(options_, task_);
  if (!out_.range.empty()) return;
  if (out_.verdict != Verdict::kPass) {
    out_.range = "not run: " + std::string(record::NameOf(out_.verdict)) + " without it";
    return;
  }
  auto rows = task::RangeCases(task_, reference_);
  if (!rows.ok()) {
    Stop(Verdict::kInfraError, "the range group: " + rows.error().ToString());
    return;
  }
  range_ = std::move(*rows);
  out_.range = "run: " + std::to_string(range_.size()) + " cases";
  const size_t before = out_.cases.size();
  for (size_t i = 0; i < range_.size(); ++i) {
    RunRows({&range_[i]}, before + i, before + range_.size());
    if (out_.cases.back().verdict != Verdict::kPass) break;
    out_.cases.pop_back();
  }
  Summarise();
}

Judgement Session::Run(const std::string& dir) {
  out_.task = task_.name;
  out_.project = dir;
  out_.category = task_.category;
  out_.level = task_.level;
  out_.chip = options_.chip;
  out_.backend = options_.backend;
  out_.seed = options_.seed.value_or(0);
  out_.checks = sim::NamesOf(sim::ChecksFromJson(options_.checks)).get<std::vector<std::string>>();
  out_.provenance.task = HashOfTask(task_), out_.provenance.judge = HashOfJudge();
  out_.provenance.sandbox = executor_.Layers(), out_.provenance.device = executor_.Facts();
  out_.precision = options_.precision;
  const auto rows = Rows();
  if (!rows) return out_;
  bool prepared = false;
  if (auto odd = TakenApart([&] { prepared = Prepare(dir); }); odd.verdict != Verdict::kPass)
    Stop(odd.verdict, odd.reason);
  if (!prepared) return out_;
  out_.seed = seed_ = options_.seed ? *options_.seed : base::DrawSeed();
  RunRows(*rows, 0, rows->size());
  LookForUnread(*rows);
  Summarise();
  RunRange();
  if (std::string why = ChangedUnderneath(project_.dir, out_.provenance.candidate); !why.empty())
    Stop(Verdict::kInfraError, why);
  return out_;
}

}  // namespace akgen::judge
