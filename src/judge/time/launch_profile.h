// One launch taken apart: what `akgen profile` prints, writes and draws.
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "judge/time/critical_path.h"
#include "judge/time/profile.h"
#include "judge/time/roofline.h"
#include "record/timeline.h"

namespace akgen::judge {

struct LaunchProfile {
  std::string subject, chip;
  Profile limits;
  Roofline roofline;
  double bound_us = 0;  // the least that the chip allows
  bool bound_of_task =
      false;  // … the task, however it is written; else what this launch asks of the chip
  std::vector<uint32_t> path;     // spans of the timeline
  uint32_t path_core = 0;         // whose they are
  uint32_t timeline_cores = 0;    // of which the timeline is there
  std::vector<PathShare> shares;  // of the path
  struct Line : LineTime {
    std::string text;  // of the source, "": unreadable
  };
  std::vector<Line> lines;  // of the source
};
// AK0121: the chip's timing model is broken.
base::Result<LaunchProfile> LaunchProfileOf(const record::LaunchTime& time,
                                            const record::Timeline& timeline,
                                            const chip::Chip& chip);

// Of ToJson(Profile), and "roofline": {"memories": [{"name", "bytes", "bytes_per_us"}…], "units":
// [{"name", "operations", "operations_per_us"}…], "bound_us", "bound_by"}, "bound_us", "bound_of":
// "task" or "launch", "critical_path": {"core", "shares": [{"what", "us"}…]}, "lines": [{"file",
// "line", "text", "path_us", "busy": {pipe: us}, "wait_us", "instructions"}…].
base::Json ToJson(const LaunchProfile& profile);

// What an earlier `akgen profile --json` says, as far as two are compared.
struct EarlierProfile {
  std::string subject, chip;
  record::LaunchTime time;
  std::vector<LaunchProfile::Line> lines;
};
base::Result<EarlierProfile> EarlierProfileFromJson(const base::Json& record,
                                                    const std::string& file);  // AK0014

// Lines of two profiles with the same text in the same order are one line; a line without a partner
// has 0 in one of them. The largest difference first.
struct LineChange {
  std::string file, text;
  int line = 0, line_before = 0;  // 0: not there
  double before_us = 0, us = 0;   // of the critical path
};
std::vector<LineChange> LineChanges(const EarlierProfile& before, const LaunchProfile& now);

}  // namespace akgen::judge
