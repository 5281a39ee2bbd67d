#include "report/sarif.h"

#include <cctype>
#include <map>

namespace akgen::report {
namespace {
using base::Json;
using record::Finding;
using record::Verdict;

// RFC 3986: what may stand in a path stays, the rest is escaped.
std::string UriPath(const std::string& path) {
  std::string out;
  for (unsigned char c : path) {
    if (std::isalnum(c) || std::string_view("-._~/").find(char(c)) != std::string_view::npos) {
      out += char(c);
    } else {
      const char* digits = "0123456789ABCDEF";
      out += {'%', digits[c >> 4], digits[c & 15]};
    }
  }
  return out;
}

// Where a subject's file names begin, seen from PROJECT: empty, or a path that ends with a slash.
using Prefix = std::string;

Json Artifact(const std::string& file, const Prefix& prefix) {
  if (file.starts_with("/")) return {{"uri", "file://" + UriPath(file)}};
  return {{"uri", UriPath(prefix + file)}, {"uriBaseId", "PROJECT"}};
}

// Null when the place has no file.
Json Location(const record::Place& p, const std::string& text, const Prefix& prefix) {
  if (p.file.empty()) return nullptr;
  Json physical{{"artifactLocation", Artifact(p.file, prefix)}};
  if (p.line > 0) physical["region"] = {{"startLine", p.line}};
  Json location{{"physicalLocation", physical}};
  if (!text.empty()) location["message"] = {{"text", text}};
  return location;
}

// The deepest folder, with a slash at its end, that holds every subject's.
std::string CommonFolder(const std::vector<SarifSubject>& subjects) {
  if (subjects.empty()) return "";
  std::string common = subjects.front().folder + "/";
  for (const SarifSubject& s : subjects) {
    std::string folder = s.folder + "/";
    size_t n = 0, slash = 0;
    for (; n < common.size() && n < folder.size() && common[n] == folder[n]; ++n)
      if (common[n] == '/') slash = n + 1;
    common.resize(slash);
  }
  return common;
}

std::string SideText(const record::Place& p, const char* which) {
  std::string text = which;
  if (!p.what.empty()) text += ": " + p.what;
  if (!p.pipe.empty()) text += " on " + p.pipe;
  if (p.block >= 0) text += ", block " + std::to_string(p.block);
  return text;
}

Json ResultOf(const Finding& f, const std::string& subject, const Prefix& prefix) {
  Json result{{"ruleId", f.code},
              {"message", {{"text", f.message + (f.fix.empty() ? "" : ". Fix: " + f.fix)}}}};
  result["kind"] = f.undecided ? "open" : "fail";
  result["level"] = f.undecided ? "none" : f.warning ? "warning" : "error";
  result["locations"] = Json::array();
  if (Json at = Location(f.place, SideText(f.place, "here"), prefix); !at.is_null())
    result["locations"].push_back(at);
  if (f.other)
    if (Json at = Location(*f.other, SideText(*f.other, "the other side"), prefix); !at.is_null()) {
      at["id"] = 1;
      result["relatedLocations"] = Json::array({at});
    }
  result["occurrenceCount"] = f.count;
  result["properties"] = {{"subject", subject}, {"check", f.check},     {"block", f.block},
                          {"memory", f.memory}, {"buffer", f.buffer},   {"address", f.address},
                          {"bytes", f.bytes},   {"pipe", f.place.pipe}, {"fix", f.fix}};
  return result;
}

Json ResultOf(const record::BuildDiagnostic& diagnostic, const std::string& subject,
              const Prefix& prefix) {
  record::Place place;
  place.file = diagnostic.file;
  place.line = diagnostic.line;
  Json result{{"ruleId", "build_error"},
              {"kind", "fail"},
              {"level", "error"},
              {"message", {{"text", diagnostic.message}}},
              {"properties", {{"subject", subject}}}};
  result["locations"] = Json::array();
  if (Json at = Location(place, "", prefix); !at.is_null()) result["locations"].push_back(at);
  return result;
}

// A verdict that no finding and no diagnostic explains.
Json ResultOf(const SarifSubject& s) {
  bool open = s.verdict == Verdict::kUndecided || s.verdict == Verdict::kUnsupported ||
              s.verdict == Verdict::kInfraError;
  std::string text = s.name + ": " + std::string(record::NameOf(s.verdict)) +
                     (s.reason.empty() ? "" : ": " + s.reason);
  return {{"ruleId", record::NameOf(s.verdict)}, {"kind", open ? "open" : "fail"},
          {"level", open ? "none" : "error"},    {"message", {{"text", text}}},
          {"locations", Json::array()},          {"properties", {{"subject", s.name}}}};
}

Json ResultsOf(const SarifSubject& s, const Prefix& prefix) {
  Json results = Json::array();
  bool explained = s.verdict == Verdict::kPass;
  for (const Finding& f : s.findings) {
    results.push_back(ResultOf(f, s.name, prefix));
    explained |= s.verdict == Verdict::kFinding || s.verdict == Verdict::kRuntimeError;
  }
  if (s.verdict == Verdict::kBuildError || s.verdict == Verdict::kUnsupported)
    for (const record::BuildDiagnostic& d : s.diagnostics) {
      if (d.severity != "error" && d.severity != "fatal error") continue;
      results.push_back(ResultOf(d, s.name, prefix));
      explained = true;
    }
  if (!explained) results.push_back(ResultOf(s));
  return results;
}

Json RuleOf(const std::string& id, const SarifOptions& o) {
  bool code = id.starts_with("AK");
  std::string title = code && o.title ? o.title(id) : "";
  if (title.empty()) title = code ? "akgen diagnostic " + id : "the verdict " + id;
  return {{"id", id},
          {"name", id},
          {"shortDescription", {{"text", title}}},
          {"helpUri", o.help_folder + "/" + (code ? id + ".md" : std::string("README.md"))}};
}
}  // namespace

Json Sarif(const std::vector<SarifSubject>& subjects, const SarifOptions& options) {
  Json results = Json::array(), rules = Json::array();
  std::map<std::string, size_t> index;
  const std::string project = CommonFolder(subjects);
  for (const SarifSubject& s : subjects)
    for (Json& result : ResultsOf(s, (s.folder + "/").substr(project.size()))) {
      std::string id = result["ruleId"];
      auto [at, fresh] = index.try_emplace(id, rules.size());
      if (fresh) rules.push_back(RuleOf(id, options));
      result["ruleIndex"] = at->second;
      results.push_back(std::move(result));
    }
  bool ran = true;
  for (const SarifSubject& s : subjects) ran &= s.verdict != Verdict::kInfraError;
  Json driver{{"name", "akgen"}, {"version", options.version}, {"rules", rules}};
  Json run{{"tool", {{"driver", driver}}},
           {"results", results},
           {"columnKind", "utf16CodeUnits"},
           {"invocations", Json::array({{{"executionSuccessful", ran}}})}};
  if (project.starts_with("/"))
    run["originalUriBaseIds"] = {{"PROJECT", {{"uri", "file://" + UriPath(project)}}}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({run})}};
}

}  // namespace akgen::report
