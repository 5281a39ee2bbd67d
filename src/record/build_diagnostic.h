// What a compiler says of a source, or a rule that forbids it.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::record {

struct BuildDiagnostic {
  std::string severity;  // "error", "warning", "note"
  std::string file;      // as the project names it; empty when the message has no place
  int line = 0, column = 0;
  std::string message;
  std::vector<BuildDiagnostic> notes;
  std::string code = {}, fix = {};  // of a rule of the judge; empty: a compiler's
};

// {"severity", "file", "line", "col", "message"}, "notes" where there are some; of a rule
// {"severity", "code", "file", "line", "message", "fix"}
base::Json ToJson(const BuildDiagnostic& diagnostic);
base::Json ToJson(const std::vector<BuildDiagnostic>& diagnostics);
// Throw base::Json::exception.
BuildDiagnostic DiagnosticFromJson(const base::Json& json);
std::vector<BuildDiagnostic> DiagnosticsFromJson(const base::Json& json);

}  // namespace akgen::record
