#include "judge/host_messages.h"

#include <algorithm>

#include "judge/host_answers.h"
#include "sim/launch/run_messages.h"

namespace akgen::judge {
using base::Json;

namespace {
constexpr const char* kHostCode = "the candidate's host code";

Json ToJson(const TileTensor& t) {
  Json j{{"shape", t.shape}, {"dtype", int(t.dtype)}, {"format", t.format}, {"present", true}};
  if (!t.storage.empty()) j["storage_shape"] = t.storage, j["origin_format"] = t.origin_format;
  if (!t.data.empty()) j["data"] = sim::HexOf(t.data);
  return j;
}

Json ToJson(const TileParam& p) {
  if (!p.list)
    return p.present && !p.tensors.empty() ? ToJson(p.tensors[0]) : Json{{"present", p.present}};
  Json j{{"present", p.present}, {"list", Json::array()}};
  for (const TileTensor& t : p.tensors) j["list"].push_back(ToJson(t));
  return j;
}

Json ToJson(const std::vector<TileParam>& params) {
  Json out = Json::array();
  for (const TileParam& p : params) out.push_back(ToJson(p));
  return out;
}

// {"status": "failed", "code", "message"} of the host library, or "detail" of the process around
// it.
std::string DetailOf(const Json& j) {
  if (j.contains("detail")) return j.at("detail");
  return j.contains("message") ? j.value("code", "") + ": " + j.value("message", "") : "";
}
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

Json ToJson(const TileRequest& r) {
  return {{"op", r.op},       {"inputs", ToJson(r.inputs)},   {"outputs", ToJson(r.outputs)},
          {"attrs", r.attrs}, {"chip", chip::ToJson(r.chip)}, {"only_infer", r.only_infer}};
}

base::Result<Description> DescriptionFromJson(const Json& j) {
  return base::Checked(kHostCode, [&]() -> base::Result<Description> {
    const std::string status = j.at("status");
    auto d = status == "ok" ? CheckedDescription(j) : Description();
    if (d.ok()) d->status = status, d->detail = DetailOf(j);
    return d;
  });
}

base::Result<TileReply> TileReplyFromJson(const Json& j) {
  return base::Checked(kHostCode, [&]() -> base::Result<TileReply> {
    const std::string status = j.at("status");
    auto r = status == "ok" ? CheckedTiling(j) : TileReply();
    if (!r.ok()) return r;
    r->status = status, r->detail = DetailOf(j), r->log = LastLines(j.value("log", ""));
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
