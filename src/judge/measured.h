// A user's measurements, mapped to the kernels that were measured: rows of a table, and the traces
// of their kernels.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "judge/judge.h"
#include "record/parity.h"
#include "sim/timing/refit.h"

namespace akgen::judge {

struct MeasuredRow {
  int line = 0;
  std::string what;                    // the kernel as the table names it
  std::string project, task, case_id;  // a project folder, a task's name or folder, a case's id
  double us = 0;
  bool core = false;   // of the mean core, else of the whole launch
  std::string soc;     // that it was measured on; "": not known
  std::string untied;  // why no kernel was found or run for it; empty: one was
  std::string Kernel() const { return project + ":" + task; }
};

// A profiler's name for a kernel.
struct KernelName {
  std::string name;  // its Op Name or OP Type
  std::string project, task, case_id;
};
// NAME=PROJECT:TASK or NAME=PROJECT:TASK:CASE; without a case it is the one whose inputs have the
// shapes of the row. Nothing where it is neither.
std::optional<KernelName> ParseKernelName(const std::string& text);

// A table of one of three kinds, distinguished by its header, with columns in any order and
// possibly others:
//   kernel (PROJECT:TASK), case, us;
//   op_summary of msprof: Op Name or OP Type, Task Duration(us), Input Shapes; rows are tied by
//   `names`; PipeUtilization.csv of msopprof: block_id, aiv_time(us), of one kernel: the only one
//   of `names`, with its case.
// AK0122: it is no such table, or a number in it is no time above 0 (place = where:line).
base::Result<std::vector<MeasuredRow>> ReadMeasured(std::string_view text, const std::string& where,
                                                    const std::vector<KernelName>& names = {});

// Of records that a real device has a part in: each case with a measured time, by the project that
// was judged. `line` is the number of the record. AK0122: none has one.
base::Result<std::vector<MeasuredRow>> MeasuredIn(const std::vector<base::Json>& records,
                                                  const std::string& where);

// What is to be replayed, and the rows that it stands for: several of one case become their median.
struct TracedRows {
  std::vector<sim::MeasuredKernel> kernels;
  std::vector<std::vector<size_t>> rows;  // by kernel
};

record::Parity ParityOf(const std::vector<MeasuredRow>& rows, const TracedRows& traced,
                        const std::vector<sim::RefitError>& errors);

// Runs every kernel once. What has no time is `untied` then.
TracedRows TraceRows(Judge& judge, std::vector<MeasuredRow>& rows, const Options& options);

}  // namespace akgen::judge
