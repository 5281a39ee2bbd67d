// Tables that the vendor's profilers write, by their columns' names whatever their spelling
// (base/csv.h).
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "record/measured.h"

namespace akgen::device {

struct KernelRow {
  std::string name,
      type;  // as the profiler calls the kernel; "" where the table has no such column
  record::LaunchSample sample;
};

// A table of launches, of one of three kinds that its header tells apart:
//   OpBasicInfo.csv of msopprof: Op Name, Task Duration(us), Current Freq, Rated Freq;
//   op_summary*.csv of msprof: Op Name or OP Type, Task Duration(us);
//   kernel_details.csv of torch_npu's profiler: Name, Duration(us).
// A row without a duration ("N/A") has the time 0. AK0122: it is no such table, is cut off, or has
// no row.
base::Result<std::vector<KernelRow>> ReadKernelTable(std::string_view text,
                                                     const std::string& where);

// PipeUtilization.csv of msopprof: microseconds of the mean core by pipe ("vec", "mac" …), of the
// cores that have any. AK0122.
base::Result<std::map<std::string, double>> ReadPipeTable(std::string_view text,
                                                          const std::string& where);

// api_statistic.csv: how often the program called an interface. AK0122.
base::Result<std::map<std::string, uint64_t>> ReadApiTable(std::string_view text,
                                                           const std::string& where);

// What a run of msopprof left in `folder`: the time of `kernel` in its launches, by the rule. No
// table, one that cannot be read, or one without the kernel: no time, and a note that says so.
// Fewer launches than the rule asks for: a note.
record::MeasuredTime ReadProfile(const std::filesystem::path& folder, const std::string& kernel,
                                 const record::TimingRule& rule);

}  // namespace akgen::device
