// Views of a modelled timeline: {"us", "cores", "spans": [[core, pipe, what, site, begin_us, end_us]…], "sites":
// [{"file", "line"}…]} as `modelled` of a verdict record holds it when spans were asked for.
#pragma once
#include <string>

#include "base/json.h"

namespace akgen::report {

// Chrome's trace format, which Perfetto reads too: a process per core, a thread per pipe, times in microseconds.
base::Json ChromeTrace(const base::Json& modelled);
// One page, no network: a row per core and pipe, a box per span (<rect data-core data-pipe data-begin data-end>). Keeps
// the first `most` spans and says so.
std::string TimelineHtml(const base::Json& modelled, const std::string& title, size_t most = 20000);
// The drawing alone, from the first span on; its bars are of class S, MTE2, V and MTE3.
std::string TimelineSvg(const base::Json& modelled, size_t most = 20000);
// A row of `width` characters per core and pipe: how much of each stretch the pipe was at work, from ' ' to '#'.
std::string TimelineText(const base::Json& modelled, size_t width = 100);

}  // namespace akgen::report
