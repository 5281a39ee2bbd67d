// What `akgen explain` reads: the findings of a record of `akgen judge`, `run` or `exec`, whoever wrote it.
#pragma once
#include <string>

#include "base/status.h"
#include "record/verdict.h"

namespace akgen::report {

struct Explained {
  std::string project, verdict;  // empty: the record does not say
  record::FindingsOfCases findings;
};

// Error AK0014 for text that is no such record. `file` names it in messages; warnings are left out unless asked for.
base::Result<Explained> ReadExplained(const std::string& text, const std::string& file, bool warnings);

}  // namespace akgen::report
