// How a judgement ends before there is a result: a verdict and a reason.
#pragma once
#include <string>
#include <vector>

#include "record/build_diagnostic.h"
#include "record/verdict.h"

namespace akgen::judge::kernelbench {

struct Stop {
  record::Verdict verdict = record::Verdict::kInfraError;
  std::string reason;
  std::vector<record::BuildDiagnostic> diagnostics = {};
  std::vector<record::Finding> findings = {};
};

}  // namespace akgen::judge::kernelbench
