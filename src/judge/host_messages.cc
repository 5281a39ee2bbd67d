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
  if (!t.data.empty()) j["data"] = sim::HexOf(t.data);
  return j;
}

Json ToJson(const TileParam& p) {
  if (!p.list) return p.present && !p.tensors.empty() ? ToJson(p.tensors[0]) : Json{{"present", p.present}};
  Json j{{"present", p.present}, {"list", Json::array()}};
  for (const TileTensor& t : p.tensors) j["list"].push_back(ToJson(t));
  return j;
}

Json ToJson(const std::vector<TileParam>& params) {
  Json out = Json::array();
  for (const TileParam& p : params) out.push_back(ToJson(p));
  return out;
}

// {"status": "failed", "code", "message"} of the host library, or "detail" of the process around it.
std::string DetailOf(const Json& j) {
  if (j.contains("detail")) return j.at("detail");
  return j.contains("message") ? j.value("code", "") + ": " + j.value("message", "") : "";
}
}  // namespace

Json ToJson(const TileRequest& r) {
  return {{"op", r.op},       {"inputs", ToJson(r.inputs)},   {"outputs", ToJson(r.outputs)},
          {"attrs", r.attrs}, {"chip", chip::ToJson(r.chip)}, {"only_infer", r.only_infer}};
}

base::Result<Description> DescriptionFromJson(const Json& j) {
  return base::Checked(kHostCode, [&]() -> base::Result<Description> {
    Description d;
    d.status = j.at("status"), d.detail = DetailOf(j);
    if (d.status != "ok") return d;
    auto checked = CheckedDescription(j);
    if (!checked.ok()) return checked.error();
    d.tiling_header = TilingHeader(*checked);
    d.ops = std::move((*checked)["ops"]);
    d.tiling = std::move((*checked)["tiling"]);
    return d;
  });
}

base::Result<TileReply> TileReplyFromJson(const Json& j) {
  return base::Checked(kHostCode, [&]() -> base::Result<TileReply> {
    TileReply r;
    r.status = j.at("status"), r.detail = DetailOf(j);
    if (r.status != "ok") return r;
    auto checked = CheckedTiling(j);
    if (!checked.ok()) return checked.error();
    r.block_dim = checked->at("block_dim"), r.tiling_key = checked->at("tiling_key");
    r.tiling = sim::BytesOfHex(checked->at("tiling_hex").get_ref<const std::string&>());
    r.workspaces = checked->at("workspaces").get<std::vector<uint64_t>>();
    r.inferred_shapes = checked->at("inferred_shapes").get<std::vector<std::vector<int64_t>>>();
    r.inferred_dtypes = checked->at("inferred_dtypes").get<std::vector<int>>();
    return r;
  });
}

uint64_t MostWorkspace(const chip::Chip& chip) { return chip.gm_bytes ? chip.gm_bytes : uint64_t{1} << 40; }

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
