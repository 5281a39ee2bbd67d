#include "toolchain/build.h"

#include "toolchain/device.h"

namespace akgen::toolchain {
using base::Json;

const char* NameOf(CoreType core) { return core == CoreType::kAic ? "aic" : "aiv"; }

std::optional<CoreType> CoreTypeFromName(const std::string& name) {
  for (CoreType c : {CoreType::kAiv, CoreType::kAic})
    if (name == NameOf(c)) return c;
  return std::nullopt;
}

std::string BuildReply::FirstError() const {
  for (const auto& d : diagnostics)
    if (d.severity == "error")
      return d.file.empty() ? d.message : d.file + ":" + std::to_string(d.line) + ": " + d.message;
  return failure;
}

Json ToJson(const BuildRequest& r) {
  Json sources = Json::array();
  for (const auto& s : r.sources) {
    Json one{{"path", s.path}};
    if (s.text) one["text"] = *s.text;
    sources.push_back(std::move(one));
  }
  Json mounts = Json::array();
  for (const auto& m : r.mounts) mounts.push_back({{"at", m.at}, {"folder", m.folder}});
  return {{"kind", r.kind},
          {"arch", r.device.arch},
          {"core", NameOf(r.device.core)},
          {"sources", sources},
          {"project_dir", r.project_dir},
          {"include_dirs", r.include_dirs},
          {"prelude", r.prelude},
          {"defines", r.defines},
          {"rename_entry", r.rename_entry},
          {"backend", NameOf(r.backend)},
          {"wall_ms", r.wall_ms},
          {"only_key", r.only_key},
          {"open_ended", r.open_ended},
          {"mounts", mounts},
          {"libraries", r.libraries},
          {"whole_libraries", r.whole_libraries}};
}

base::Result<BuildRequest> BuildRequestFromJson(const Json& j) {
  BuildRequest r;
  try {
    r.kind = j.value("kind", "kernel");
    for (const auto& s : j.at("sources")) {
      SourceFile f{s.at("path").get<std::string>(), std::nullopt};
      if (s.contains("text")) f.text = s["text"].get<std::string>();
      r.sources.push_back(std::move(f));
    }
    r.project_dir = j.value("project_dir", "");
    r.include_dirs = j.value("include_dirs", std::vector<std::string>{});
    for (const auto& m : j.value("mounts", Json::array()))
      r.mounts.push_back({m.at("at").get<std::string>(), m.at("folder").get<std::string>()});
    r.libraries = j.value("libraries", std::vector<std::string>{});
    r.whole_libraries = j.value("whole_libraries", std::vector<std::string>{});
    r.prelude = j.value("prelude", "");
    r.defines = j.value("defines", std::vector<std::string>{});
    r.rename_entry = j.value("rename_entry", std::map<std::string, std::string>{});
    const std::string backend = j.value("backend", "native");
    const auto known = record::BackendFromName(backend);
    if (!known)
      return base::Error{"AK0301", "unknown backend: " + backend, "", "use native or guest"};
    r.backend = *known;
    r.device.arch = j.value("arch", 0);
    const std::string core = j.value("core", "aiv");
    if (!CoreTypeFromName(core))
      return base::Error{"AK0301", "unknown type of core: " + core, "", "use aiv or aic"};
    r.device.core = *CoreTypeFromName(core);
    r.wall_ms = j.value("wall_ms", 60000);
    r.only_key = j.value("only_key", false);
    r.open_ended = j.value("open_ended", false);
  } catch (const Json::exception& e) {
    return base::Error{"AK0301", std::string("malformed build request: ") + e.what(), "", ""};
  }
  if (r.kind != "kernel" && r.kind != "host" && r.kind != "library" && r.kind != "program")
    return base::Error{"AK0301", "unknown kind of build: " + r.kind, "",
                       "use kernel, host, library or program"};
  if (r.backend == Backend::kGuest && r.kind != "kernel")
    return base::Error{"AK0301", "only a kernel can be a guest, not a " + r.kind, "",
                       "leave out the backend"};
  if (!r.IsHost())
    if (auto macros = MacrosOf(r.device); !macros.ok()) return macros.error();
  if (r.sources.empty())
    return base::Error{"AK0301", "a build without sources", "", "name at least one source file"};
  return r;
}

Json ToJson(const BuildReply& r) {
  Json j{{"ok", r.ok},
         {"so", r.so},
         {"key", r.key},
         {"cached", r.cached},
         {"build_ms", r.build_ms},
         {"cpu_ms", r.cpu_ms},
         {"failure", r.failure},
         {"diagnostics", record::ToJson(r.diagnostics)},
         {"unsupported_api", r.unsupported_api},
         {"lacking", r.lacking},
         {"rewrites", Json::array()},
         {"entries", Json::array()},
         {"imports", r.imports}};
  for (const auto& w : r.rewrites)
    j["rewrites"].push_back({{"file", w.file}, {"line", w.line}, {"what", w.what}});
  for (const auto& e : r.entries)
    j["entries"].push_back({{"name", e.name},
                            {"symbol", e.symbol},
                            {"file", e.file},
                            {"line", e.line},
                            {"templated", e.templated}});
  return j;
}

BuildReply BuildReplyFromJson(const Json& j) {
  BuildReply r;
  r.ok = j.value("ok", false);
  r.so = j.value("so", "");
  r.key = j.value("key", "");
  r.cached = j.value("cached", false);
  r.build_ms = j.value("build_ms", 0.0);
  r.cpu_ms = j.value("cpu_ms", 0.0);
  r.failure = j.value("failure", "");
  r.unsupported_api = j.value("unsupported_api", "");
  r.lacking = j.value("lacking", std::vector<std::string>{});
  r.imports = j.value("imports", std::vector<std::string>{});
  r.diagnostics = record::DiagnosticsFromJson(j.value("diagnostics", Json::array()));
  for (const auto& w : j.value("rewrites", Json::array()))
    r.rewrites.push_back({w.value("file", ""), w.value("line", 0), w.value("what", "")});
  for (const auto& e : j.value("entries", Json::array()))
    r.entries.push_back({e.value("name", ""), e.value("symbol", ""), e.value("file", ""),
                         e.value("line", 0), e.value("templated", false)});
  return r;
}

}  // namespace akgen::toolchain
