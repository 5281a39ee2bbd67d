#include "report/profile_page.h"

#include <algorithm>
#include <set>

#include "base/base64.h"
#include "report/page_texts.inc"
#include "report/timeline.h"

namespace akgen::report {
using base::Json;

namespace {
Json SitesJson(const record::Timeline& t) {
  Json out = Json::array();
  for (const record::TimeSite& s : t.sites) out.push_back({s.file, s.line});
  return out;
}

std::string PathColumn(const std::vector<uint32_t>& path) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(path.data());
  return base::ToBase64({bytes, path.size() * sizeof(uint32_t)});
}
}  // namespace

std::string ProfilePage(const ProfileView& v) {
  std::set<std::string> files;
  for (const record::TimeSite& s : v.timeline.sites)
    if (s.line > 0) files.insert(s.file);
  Json sources = Json::object();
  for (const std::string& file : files)
    if (std::string text = v.source(file); !text.empty()) sources[file] = std::move(text);
  Page page;
  page.title = "Profile of " + v.subject;
  page.footer = "Modelled by akgen: no time on this page was measured.";
  page.body = "<noscript><pre>" + Escaped(TimelineText(v.timeline)) + "</pre></noscript>";
  page.style = std::string(kWindowCss) + kProfileCss;
  page.script =
      std::string(kTimelineJs) + kCoresJs + kCoreJs + kWindowJs + kRooflineJs + kProfileJs;
  page.data = {{"record", v.record},
               {"timeline", record::ToJson(v.timeline)},
               {"sites", SitesJson(v.timeline)},
               {"path", PathColumn(v.path)},
               {"sources", std::move(sources)},
               {"before", v.before}};
  return Render(page);
}

void AddTimeline(Page& page, const record::Timeline& timeline, Json sources) {
  page.style += kWindowCss;
  page.script += std::string(kTimelineJs) + kCoreJs + kWindowJs + kRecordJs;
  page.data = {{"timeline", record::ToJson(timeline)},
               {"sites", SitesJson(timeline)},
               {"sources", std::move(sources)}};
}

}  // namespace akgen::report
