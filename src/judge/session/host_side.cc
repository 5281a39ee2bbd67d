#include "judge/session/host_side.h"

#include <algorithm>

#include "base/files.h"
#include "base/hash.h"
#include "base/regex.h"
#include "judge/host/definition.h"
#include "judge/host/requests.h"
#include "judge/host/skeleton.h"
#include "judge/run/blame.h"
#include "judge/run/findings.h"
#include "judge/session/rules.h"
#include "sim/check/checks.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {
using record::Verdict;

// The candidate's host side, or in kernel-only mode the one that is given to it.
bool HostSide::RequestFor(toolchain::BuildRequest& request) {
  if (!state_.options.kernel_only) {
    request = toolchain::HostRequest(state_.project);
  } else if (state_.options.host.empty()) {
    auto text = HostSkeleton(state_.task);
    if (!text.ok()) return state_.Stop(Verdict::kInfraError, text.error().message);
    request.kind = "host";
    request.sources = {{"/op_host/" + state_.task.entry + ".cpp", *text}};
    state_.out.provenance.host = base::Sha256(*text);
  } else {
    auto host = toolchain::LoadHost(state_.options.host);
    if (!host.ok())
      return state_.Stop(Verdict::kInfraError, host.error().code + ": " + host.error().message +
                                                   ": " + host.error().where);
    request = toolchain::HostRequest(*host);
    state_.out.provenance.host = base::HashOfFolder(host->dir / "op_host");
  }
  const auto beside = state_.options.kernel_only ? state_.options.include_dirs
                                                 : state_.Around().HostIncludes(state_.project.dir);
  request.include_dirs.insert(request.include_dirs.end(), beside.begin(), beside.end());
  return true;
}

std::string HostSide::Key(const std::string& dir) {
  auto project = toolchain::LoadProject(dir, !state_.options.kernel_only);
  if (!project.ok()) return "";
  state_.project = *project;
  toolchain::BuildRequest request;
  if (!RequestFor(request)) return "";
  request.only_key = true;
  auto reply = state_.executor.Build(request);
  return reply.ok() ? reply->key : "";
}

bool HostSide::AddLibraries() {
  if (state_.options.kernel_only) return true;
  for (const auto& [build, whole] : state_.Around().Libraries(state_.project)) {
    auto reply = state_.executor.Build(build);
    if (!reply.ok()) return state_.Stop(Verdict::kInfraError, reply.error().message);
    state_.out.build_libraries_ms += reply->build_ms;
    state_.out.repeatable = state_.out.repeatable && Repeatable(*reply);
    if (reply->failure == "infra") return state_.Stop(Verdict::kInfraError, ReasonOf(*reply));
    if (whole) {  // as its own sources: none is left out
      state_.AddBuild(*reply);
      if (!reply->FirstError().empty()) return DoesNotBuild(*reply);
    }
    if (reply->ok) (whole ? request_.whole_libraries : request_.libraries).push_back(reply->so);
    libraries_.push_back(std::move(*reply));
  }
  return true;
}

bool HostSide::DoesNotBuild(const toolchain::BuildReply& reply) {
  state_.out.lacking = reply.lacking;
  return state_.Stop(VerdictOf(reply),
                     "host code does not build: " + ReasonOf(reply, state_.Around()));
}

namespace {
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
bool HostSide::LeaveOtherChipsOut() {
  if (!Mentions(state_.Around().OtherChips(state_.project), state_.host.detail))
    return LinkOtherChips();
  others_left_out_ = request_.open_ended = true;
  if (!Load()) return false;
  const bool loads = (state_.host.status == "ok" || state_.host.status == "failed") &&
                     !ChooseOp(state_.host, state_.task).name.empty();
  return loads || LinkOtherChips();
}

bool HostSide::LinkOtherChips() {
  others_left_out_ = request_.open_ended = false;
  for (const toolchain::BuildRequest& library : state_.Around().OtherChips(state_.project)) {
    auto reply = state_.executor.Build(library);
    if (!reply.ok()) return state_.Stop(Verdict::kInfraError, reply.error().message);
    state_.out.build_libraries_ms += reply->build_ms;
    if (reply->ok) request_.libraries.insert(request_.libraries.begin(), reply->so);
    libraries_.push_back(std::move(*reply));
  }
  if (!Load()) return false;
  if (!LacksSymbol(state_.host)) return true;
  // What one of them would have defined, had it compiled, is not called on this chip.
  for (const auto& library : libraries_) {  // those for other chips are the last ones
    const auto error = std::find_if(library.diagnostics.begin(), library.diagnostics.end(),
                                    [](const auto& d) { return d.severity == "error"; });
    if (error != library.diagnostics.end()) not_built_ = error->file + ": " + error->message;
  }
  if (not_built_.empty()) return true;
  not_built_ = state_.host.detail + " (" + not_built_ + ")";
  request_.open_ended = true;
  if (!Load()) return false;
  // Its own start calls what nothing defines: that is what is wrong, and not how the call ended.
  if (state_.host.status != "ok" && state_.host.status != "failed")
    state_.host = {}, state_.host.status = "stopped", state_.host.detail = not_built_;
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
base::Result<toolchain::BuildReply> HostSide::BuildSources() {
  std::vector<std::filesystem::path> unnamed;
  for (bool first = true;; first = false) {
    auto reply = state_.executor.Build(request_);
    if (!reply.ok() || reply->ok) return reply;
    if (first && !state_.options.kernel_only) unnamed = state_.Around().Unnamed(state_.project);
    const std::string error = reply->FirstError(), file = error.substr(0, error.find(':'));
    if (request_.prelude.empty() && WantsElementTypes(error)) {
      request_.prelude = kElementTypes;
      continue;
    }
    const auto faulty =
        std::find_if(unnamed.begin(), unnamed.end(), [&](const std::filesystem::path& source) {
          return source.filename() == std::filesystem::path(file).filename();
        });
    if (faulty == unnamed.end()) return reply;
    std::erase_if(request_.sources,
                  [&](const auto& source) { return source.path == faulty->string(); });
    state_.out.rewrites.push_back(
        {{"file", file}, {"line", 0}, {"what", "left out: no build file names it, and " + error}});
    unnamed.erase(faulty);
  }
}

// Builds and loads; `state_.host` says how that went.
bool HostSide::Load() {
  auto reply = BuildSources();
  if (!reply.ok()) return state_.Stop(Verdict::kInfraError, reply.error().message);
  state_.out.build_host_ms += reply->build_ms;
  if (!state_.options.include_dirs.empty() || !request_.libraries.empty() ||
      !request_.whole_libraries.empty())
    state_.out.provenance.host_build = reply->key;
  state_.AddBuild(*reply);
  if (!reply->ok) return DoesNotBuild(*reply);
  state_.host_object = reply->so;
  // What nothing defines is not called from outside; what there is may be closed to host code.
  std::string missing;
  std::erase_if(reply->imports, [&](const std::string& name) {
    if (!ClosedToHost({name})) return false;
    auto why = WhyNotLoaded(name);
    if (why && missing.empty()) missing = *why;
    return why.has_value();
  });
  if (auto closed = ClosedToHost(reply->imports))
    return state_.Refuse(*BreachInHostImports({*closed}));
  if (missing.empty() || request_.open_ended)
    state_.host = state_.executor.Describe(state_.host_object, state_.chip);
  else
    state_.host = {}, state_.host.status = "stopped", state_.host.detail = missing;
  return true;
}

namespace {
// Operators that talk to other devices say so in their definition.
bool HasCollectives(const toolchain::Project& project) {
  static const base::Regex call(R"(->\s*MC2\s*\(\s*\))");
  return std::any_of(
      project.host_sources.begin(), project.host_sources.end(), [](const auto& source) {
        const auto text = base::ReadFile(source);
        return text.ok() && call.Find(toolchain::BlankCommentsAndStrings(*text)).has_value();
      });
}
}  // namespace

bool HostSide::Build() {
  if (!state_.options.kernel_only && HasCollectives(state_.project))
    return state_.Stop(
        Verdict::kUnsupported,
        "the operator communicates with other devices (MC2 in its definition); akgen "
        "simulates one device");
  if (!RequestFor(request_) || !AddLibraries() || !Load()) return false;
  if (LacksSymbol(state_.host) && !state_.options.kernel_only && !LeaveOtherChipsOut())
    return false;
  return ReadDefinition();
}

bool HostSide::LibrariesLackApi() const {
  return std::ranges::any_of(libraries_, [](const auto& l) { return !l.lacking.empty(); });
}

bool HostSide::ReadDefinition() {
  if (state_.host.status == "timeout" || state_.host.status == "error")
    return state_.Stop(OutcomeOf(state_.host.status, state_.host.detail, {}).verdict,
                       "the op definition could not be read: " + state_.host.detail);
  if (state_.host.status == "malformed")
    return state_.Stop(Verdict::kBuildError, state_.host.detail);
  if (LacksSymbol(state_.host))
    for (const auto& library : libraries_)  // where it would be, had akgen what the library needs
      if (!library.lacking.empty()) {
        state_.out.lacking.insert(state_.out.lacking.end(), library.lacking.begin(),
                                  library.lacking.end());
        return state_.Stop(Verdict::kUnsupported,
                           "host code: " + state_.host.detail + "; akgen does not have the API " +
                               library.lacking.front() +
                               ", which the libraries it is linked with need");
      }
  if (auto unloaded = OutcomeOfLoading(state_.host.status, state_.host.detail))
    return state_.Stop(unloaded->verdict, "host code: " + unloaded->reason);
  state_.op = ChooseOp(state_.host, state_.task);
  if (state_.op.name.empty())
    return state_.Stop(Verdict::kBuildError,
                       "the host code registers no operator" +
                           (state_.host.detail.empty() ? "" : ": " + state_.host.detail));
  std::vector<std::string> names = state_.op.kernel_names;
  names.push_back(KernelNameOf(state_.op.name));
  toolchain::ChooseEntry(names, &state_.project);
  TakeBuildOptions();
  return true;
}

// What was asked for goes before what the project's build files say.
void HostSide::TakeBuildOptions() {
  state_.build_options =
      toolchain::OptionsOf(state_.project, state_.op.name, state_.chip.ConfigName());
  state_.auto_sync = state_.build_options.auto_sync;
  if (state_.options.checks.contains("auto_sync"))
    state_.auto_sync = sim::ChecksFromJson(state_.options.checks).auto_sync;
  state_.out.build_options = state_.build_options.said;
  if (state_.auto_sync == state_.build_options.auto_sync) return;
  const std::string off = sim::kAutoSyncOff;
  if (state_.auto_sync)
    std::erase(state_.out.build_options, off);
  else
    state_.out.build_options.insert(state_.out.build_options.begin(), off);
}

}  // namespace akgen::judge
