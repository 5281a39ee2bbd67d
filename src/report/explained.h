// What `akgen explain` reads: the findings of a record of `akgen judge`, `run` or `exec`, whoever
// wrote it.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "record/verdict.h"

namespace akgen::report {

struct Explained {
  std::string project, verdict;  // empty: the record does not say
  record::FindingsOfCases findings;
};

// Of one record, or of a list of them, as `run` writes it. Error AK0014 for text that is none.
// `file` names it in messages; warnings are left out unless asked for.
base::Result<std::vector<Explained>> ReadExplained(const std::string& text, const std::string& file,
                                                   bool warnings);

}  // namespace akgen::report
