// Views of a modelled timeline.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "record/launch_time.h"

namespace akgen::report {

// Chrome's trace format, which Perfetto reads too: a process per core, a thread per pipe, times in microseconds.
base::Json ChromeTrace(const std::vector<record::TimeSpan>& spans);
// One page, no network: a row per core and pipe, a box per span (<rect data-core data-pipe data-begin data-end>). Keeps
// the first `most` spans and says so; `us`: the time of the launch.
std::string TimelineHtml(const std::vector<record::TimeSpan>& spans, double us, const std::string& title,
                         size_t most = 20000);
// The drawing alone, from the first span on; its bars are of class S, MTE2, V and MTE3.
std::string TimelineSvg(const std::vector<record::TimeSpan>& spans, size_t most = 20000);
// A row of `width` characters per core and pipe: how much of each stretch the pipe was at work, from ' ' to '#'.
std::string TimelineText(const std::vector<record::TimeSpan>& spans, size_t width = 100);

}  // namespace akgen::report
