#include "judge/host/messages.h"

#include <algorithm>

#include "judge/host/answers.h"

namespace akgen::judge {
using base::Json;

namespace {
constexpr const char* kHostCode = "the candidate's host code";

// The last two lines of a log, which host code wrote: printable characters, 300 at most.
std::string LastLines(const std::string& log) {
  std::vector<std::string> lines(1);
  for (char c : log) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c >= ' ' && c <= '~' ? c : '?';
  }
  std::erase_if(lines, [](const std::string& l) { return l.empty(); });
  std::string out;
  for (size_t i = lines.size() - std::min<size_t>(lines.size(), 2); i < lines.size(); ++i)
    out += (out.empty() ? "" : "; ") + lines[i];
  constexpr size_t kLimit = 300;
  return out.substr(0, kLimit);
}
}  // namespace

base::Result<Description> DescriptionFromJson(const Json& j) {
  return base::Checked(kHostCode, [&]() -> base::Result<Description> {
    const auto status = base::MessageFromJson<record::HostStatus>(j);
    auto d = status.ok() ? CheckedDescription(j) : Description();
    if (d.ok()) d->status = status.status, d->detail = status.Detail();
    return d;
  });
}

base::Result<TileReply> TileReplyFromJson(const Json& j) {
  return base::Checked(kHostCode, [&]() -> base::Result<TileReply> {
    const auto status = base::MessageFromJson<record::HostStatus>(j);
    auto r = status.ok() ? CheckedTiling(j) : TileReply();
    if (!r.ok()) return r;
    r->status = status.status, r->detail = status.Detail();
    r->log = LastLines(j.value("log", ""));
    if (!j.contains("other") || j.at("other").contains("other")) return r;
    auto other = TileReplyFromJson(j.at("other"));
    if (!other.ok()) return other.error();
    r->other.push_back(std::move(*other));
    r->cause = j.value("cause", "");
    return r;
  });
}

uint64_t MostWorkspace(const chip::Chip& chip) {
  return chip.gm_bytes ? chip.gm_bytes : uint64_t{1} << 40;
}

std::optional<uint64_t> TileReply::WorkspaceBytes(const chip::Chip& chip) const {
  const uint64_t most = MostWorkspace(chip);
  uint64_t all = 0;
  for (uint64_t bytes : workspaces) {
    if (bytes > most - std::min(most, all)) return std::nullopt;
    all += bytes;
  }
  return all;
}

}  // namespace akgen::judge
