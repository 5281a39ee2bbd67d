// The page of a profile: one launch, and an earlier one to compare it with.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "record/timeline.h"
#include "report/explain.h"
#include "report/page.h"

namespace akgen::report {

struct ProfileView {
  std::string subject;
  base::Json record;  // what `akgen profile --json` writes
  const record::Timeline& timeline;
  std::vector<uint32_t> path;  // spans of it: the critical path
  base::Json before;           // an earlier profile's record, null: none
  ReadSource source;
};
// One file that needs no network; page/profile.js draws it.
std::string ProfilePage(const ProfileView& view);

// Gives a page with an element "timeline" a window into the first core, which takes the place of
// what stands in it. `sources`: {file: text}.
void AddTimeline(Page& page, const record::Timeline& timeline, base::Json sources);

}  // namespace akgen::report
