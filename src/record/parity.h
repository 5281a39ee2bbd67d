// Modelled against measured times, as the fit makes them and pages and tables show them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::record {

// Quantiles of |relative error| over some rows.
struct ErrorQuantiles {
  size_t rows = 0;
  double median = 0, p90 = 0;
};
struct ErrorSummary : ErrorQuantiles {
  std::map<std::string, ErrorQuantiles> by_regime;  // by what bounds a kernel
};

struct ParityRow {
  std::string kernel, case_id;
  std::vector<int> lines;  // of the table, which it stands for
  bool core = false;       // of the mean core, else of the whole launch
  std::string bound_by;
  double measured = 0, modelled = 0, error = 0;  // microseconds; relative
};

// A line of the table that no kernel was found or run for.
struct UntiedRow {
  int line = 0;
  std::string what, case_id, why;
};

struct Parity {
  std::vector<ParityRow> rows;
  std::vector<UntiedRow> untied;
  ErrorSummary errors;
};

// {"rows", "median", "p90", "by_regime": {regime: {"rows", "median", "p90"}}}
base::Json ToJson(const ErrorSummary& summary);
// {"rows": [{"kernel", "case", "lines", "what": "task" or "core", "bound_by", "measured",
// "modelled", "error"}…],
//  "untied": [{"line", "what", "case", "why"}…], "errors"}
base::Json ToJson(const Parity& parity);

}  // namespace akgen::record
