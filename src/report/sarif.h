// Findings as SARIF 2.1.0 (OASIS), which editors and code hosts show beside the source.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/build_diagnostic.h"
#include "record/verdict.h"

namespace akgen::report {

// What one judged thing gave: a project's case, a kernel file, a program.
struct SarifSubject {
  std::string name;    // "case 3", "add.cpp"
  std::string folder;  // absolute; relative file names of places lie below it
  record::Verdict verdict = record::Verdict::kPass;
  std::string reason;
  std::vector<record::Finding> findings;
  std::vector<record::BuildDiagnostic> diagnostics;  // of the build
};

struct SarifOptions {
  std::string version;      // of akgen
  std::string help_folder;  // URI of docs/diagnostics, without the last slash
  std::function<std::string(const std::string& code)>
      title;  // one line about a code; empty when unknown
};

// One run. A result per finding; a subject that failed without any (a wrong answer, a build error)
// gives results that say so. An undecided finding has the kind `open`, which is neither pass nor
// fail. Absolute paths become file: URIs, others are relative to the base PROJECT, the folder that
// holds all subjects.
base::Json Sarif(const std::vector<SarifSubject>& subjects, const SarifOptions& options);

}  // namespace akgen::report
