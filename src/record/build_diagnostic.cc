#include "record/build_diagnostic.h"

namespace akgen::record {
using base::Json;

Json ToJson(const BuildDiagnostic& d) {
  Json j{{"severity", d.severity}, {"file", d.file}, {"line", d.line}, {"message", d.message}};
  if (d.code.empty())
    j["col"] = d.column;
  else
    j["code"] = d.code, j["fix"] = d.fix;
  if (!d.notes.empty()) j["notes"] = ToJson(d.notes);
  return j;
}

Json ToJson(const std::vector<BuildDiagnostic>& diagnostics) {
  Json out = Json::array();
  for (const BuildDiagnostic& d : diagnostics) out.push_back(ToJson(d));
  return out;
}

BuildDiagnostic DiagnosticFromJson(const Json& j) {
  BuildDiagnostic d{j.value("severity", "error"), j.value("file", ""),
                    j.value("line", 0),           j.value("col", 0),
                    j.value("message", ""),       {},
                    j.value("code", ""),          j.value("fix", "")};
  if (j.contains("notes")) d.notes = DiagnosticsFromJson(j["notes"]);
  return d;
}

std::vector<BuildDiagnostic> DiagnosticsFromJson(const Json& json) {
  std::vector<BuildDiagnostic> out;
  for (const Json& d : json) out.push_back(DiagnosticFromJson(d));
  return out;
}

}  // namespace akgen::record
