#include "sim/launch/run_messages.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/hex.h"

namespace akgen::sim {
namespace {
using base::Json;

constexpr std::array<std::pair<Role, std::string_view>, 3> kRoles{
    {{Role::kInput, "input"}, {Role::kOutput, "output"}, {Role::kInout, "inout"}}};
constexpr std::array<std::pair<RunArgument::Kind, std::string_view>, 5> kKinds{
    {{RunArgument::kNull, "null"},
     {RunArgument::kRegion, "region"},
     {RunArgument::kList, "list"},
     {RunArgument::kWorkspace, "workspace"},
     {RunArgument::kTiling, "tiling"}}};

template <typename Value, size_t N>
std::string_view NameIn(const std::array<std::pair<Value, std::string_view>, N>& rows,
                        Value value) {
  for (const auto& [v, name] : rows)
    if (v == value) return name;
  return rows[0].second;
}
template <typename Value, size_t N>
Value ValueIn(const std::array<std::pair<Value, std::string_view>, N>& rows,
              const std::string& name) {
  for (const auto& [v, n] : rows)
    if (n == name) return v;
  base::ThrowJsonShape("a word that is none of those there are");
}

Json ToJson(const RunRegion& r) {
  return {{"name", r.name},    {"role", NameIn(kRoles, r.role)}, {"offset", r.offset},
          {"bytes", r.bytes},  {"capacity", r.capacity},         {"period", r.period},
          {"source", r.source}};
}
RunRegion RegionFromJson(const Json& j) {
  return {j.at("name"),     ValueIn(kRoles, j.at("role")),
          j.at("offset"),   j.at("bytes"),
          j.at("capacity"), j.at("period"),
          j.at("source")};
}

Json ToJson(const RunArgument& a) {
  return {{"kind", NameIn(kKinds, a.kind)}, {"regions", a.regions}, {"shapes", a.shapes}};
}
RunArgument ArgumentFromJson(const Json& j) {
  return {ValueIn(kKinds, j.at("kind")), j.at("regions").get<std::vector<size_t>>(),
          j.at("shapes").get<std::vector<std::vector<int64_t>>>()};
}

Json ChecksJson(const Checks& checks) {
  Json out = Json::object();
  for (Check c : {Check::kMem, Check::kInit, Check::kRace, Check::kSync})
    out[std::string(NameOf(c))] = checks.On(c);
  out["auto_sync"] = checks.auto_sync;
  return out;
}

RunRequest RequestPartsFromJson(const Json& j, chip::Chip chip) {
  RunRequest r;
  r.entry = j.at("entry");
  for (const Json& one : j.at("regions")) r.regions.push_back(RegionFromJson(one));
  for (const Json& one : j.at("args")) r.args.push_back(ArgumentFromJson(one));
  r.tiling = base::BytesOfHex(j.at("tiling").get_ref<const std::string&>());
  r.workspace_bytes = j.at("workspace_bytes"), r.tiling_key = j.at("tiling_key"),
  r.blocks = j.at("blocks");
  r.chip = std::move(chip);
  r.checks = ChecksFromJson(j.at("checks"));
  r.schedule = j.at("schedule"), r.hash = j.at("hash"), r.sites = j.at("sites"),
  r.exact = j.at("exact");
  if (const Json& p = j.at("probe"); !p.is_null())
    r.probe = {p.at("schedules").get<std::vector<uint64_t>>(), p.at("expect")};
  if (const Json& t = j.at("timing"); !t.is_null())
    r.timing = {TimingFromJson(t.at("parameters")), t.at("span_cores"), t.at("what_if"),
                t.at("scale"), t.at("keep_trace")};
  r.only = j.at("only").get<std::vector<uint32_t>>();
  return r;
}

Json ToJson(const RunFinding& f) {
  Json j = record::ToJson(f.finding);
  j["pcs"] = f.pcs, j["other_pcs"] = f.other_pcs;
  return j;
}

template <typename T>
Json ListJson(const std::vector<T>& all) {
  Json out = Json::array();
  for (const T& one : all) out.push_back(ToJson(one));
  return out;
}

RunReply ReplyPartsFromJson(const Json& j) {
  RunReply r;
  r.status = j.at("status"), r.detail = j.value("detail", "");
  for (const Json& f : j.value("findings", Json::array()))
    r.findings.push_back({record::FindingFromJson(f), f.value("pcs", std::vector<uint64_t>{}),
                          f.value("other_pcs", std::vector<uint64_t>{})});
  r.run_us = j.value("run_us", 0.0), r.run_cpu_us = j.value("run_cpu_us", 0.0);
  for (auto [key, to] : {std::pair{"vector_ops", &r.vector_ops},
                         {"copies", &r.copies},
                         {"bytes_in", &r.bytes_in},
                         {"bytes_out", &r.bytes_out},
                         {"instructions", &r.instructions},
                         {"state_changed", &r.state_changed}})
    *to = j.value(key, uint64_t{0});
  r.unread = j.value("unread", r.unread);
  r.exchanged = j.value("exchanged", false);
  r.print = j.value("print", ""), r.hash = j.value("hash", ""), r.engine = j.value("engine", "");
  r.arithmetic = j.value("arithmetic", Json::object());
  r.sites = j.value("sites", r.sites);
  r.modelled = j.value("modelled", Json());
  r.trace_cut = j.value("trace_cut", false);
  r.written = j.value("written", r.written), r.written_cut = j.value("written_cut", false);
  r.unmodelled = j.value("unmodelled", "");
  if (const Json p = j.value("probe", Json()); !p.is_null())
    r.probe = {p.at("ran"), p.at("schedule"), p.at("differs"), p.at("hash"), p.at("ended")};
  return r;
}
}  // namespace

std::vector<uint64_t> TensorListWords(const RunArgument& list,
                                      const std::vector<uint64_t>& addresses) {
  std::vector<uint64_t> words{0};
  for (size_t i = 0; i < addresses.size(); ++i) {
    const std::vector<int64_t> shape =
        i < list.shapes.size() ? list.shapes[i] : std::vector<int64_t>{};
    words.push_back(uint64_t(i) << 32 | shape.size());
    for (int64_t d : shape) words.push_back(uint64_t(d));
  }
  words[0] = words.size() * 8;
  words.insert(words.end(), addresses.begin(), addresses.end());
  return words;
}

Json ToJson(const RunRequest& r) {
  Json j{{"entry", r.entry},
         {"regions", ListJson(r.regions)},
         {"args", ListJson(r.args)},
         {"tiling", base::HexOf(r.tiling)},
         {"workspace_bytes", r.workspace_bytes},
         {"tiling_key", r.tiling_key},
         {"blocks", r.blocks},
         {"chip", chip::ToJson(r.chip)},
         {"checks", ChecksJson(r.checks)},
         {"schedule", r.schedule},
         {"hash", r.hash},
         {"sites", r.sites},
         {"exact", r.exact},
         {"probe", nullptr},
         {"timing", nullptr},
         {"only", r.only}};
  if (r.probe) j["probe"] = {{"schedules", r.probe->schedules}, {"expect", r.probe->expect}};
  if (const auto& t = r.timing)
    j["timing"] = {{"parameters", ToJson(t->parameters)},
                   {"span_cores", t->span_cores},
                   {"what_if", t->what_if},
                   {"scale", t->scale},
                   {"keep_trace", t->keep_trace}};
  return j;
}

base::Result<RunRequest> RunRequestFromJson(const Json& j) {
  return base::Checked("a request to run a kernel", [&]() -> base::Result<RunRequest> {
    auto chip = chip::ChipFromJson(j.at("chip"));
    if (!chip.ok()) return chip.error();
    return RequestPartsFromJson(j, std::move(*chip));
  });
}

Json ToJson(const RunReply& r) {
  Json j{{"status", r.status},
         {"detail", r.detail},
         {"findings", ListJson(r.findings)},
         {"run_us", r.run_us},
         {"run_cpu_us", r.run_cpu_us},
         {"vector_ops", r.vector_ops},
         {"copies", r.copies},
         {"bytes_in", r.bytes_in},
         {"bytes_out", r.bytes_out},
         {"instructions", r.instructions},
         {"engine", r.engine},
         {"state_changed", r.state_changed},
         {"unread", r.unread},
         {"exchanged", r.exchanged},
         {"print", r.print},
         {"hash", r.hash},
         {"arithmetic", r.arithmetic},
         {"sites", r.sites},
         {"modelled", r.modelled},
         {"trace_cut", r.trace_cut}};
  if (!r.written.empty()) j["written"] = r.written, j["written_cut"] = r.written_cut;
  if (!r.unmodelled.empty()) j["unmodelled"] = r.unmodelled;
  if (const auto& p = r.probe)
    j["probe"] = {{"ran", p->ran},
                  {"schedule", p->schedule},
                  {"differs", p->differs},
                  {"hash", p->hash},
                  {"ended", p->ended}};
  return j;
}

base::Result<RunReply> RunReplyFromJson(const Json& j) {
  return base::Checked("the process that holds the chip",
                       [&]() -> base::Result<RunReply> { return ReplyPartsFromJson(j); });
}

}  // namespace akgen::sim
