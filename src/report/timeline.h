// Views of a modelled timeline.
#pragma once
#include <string>

#include "base/json.h"
#include "record/timeline.h"

namespace akgen::report {

// Chrome's trace format, which Perfetto reads too: a process per core, a thread per pipe, times in
// microseconds. Waits are left out: there nothing runs.
base::Json ChromeTrace(const record::Timeline& timeline);
// The work of one core as a drawing, at most the first `most` spans; its bars are of class S, V,
// MTE2 …
std::string TimelineSvg(const record::Timeline& timeline, size_t most = 5000);
// A row of `width` characters per core and pipe: how much of each stretch the pipe was at work,
// from ' ' to '#'. Of the first cores.
std::string TimelineText(const record::Timeline& timeline, size_t width = 100, uint32_t cores = 2);

}  // namespace akgen::report
