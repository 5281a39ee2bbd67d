#include "judge/findings.h"

#include <set>

namespace akgen::judge {
using base::Json;
using record::Verdict;

std::vector<record::Finding> NameFindings(toolchain::Builder& builder, const std::string& so, const Json& findings) {
  std::vector<uint64_t> pcs;
  for (const Json& f : findings)
    for (const char* key : {"pcs", "other_pcs"})
      for (const Json& pc : f.value(key, Json::array())) pcs.push_back(pc.get<uint64_t>());
  std::vector<toolchain::SourceLine> lines;
  if (!pcs.empty()) {
    auto named = builder.Symbolize(so, pcs);
    if (named.ok()) lines = std::move(*named);
  }
  size_t at = 0;
  // The first address outside akgen's own headers is the kernel's line.
  auto name_place = [&](const Json& f, const char* key, record::Place& place) {
    bool found = false;
    size_t n = f.value(key, Json::array()).size();
    for (size_t i = 0; i < n; ++i, ++at) {
      if (found || at >= lines.size() || lines[at].file.empty()) continue;
      if (lines[at].file.find("include/ascendc/") != std::string::npos) continue;
      place.file = lines[at].file;
      place.line = lines[at].line;
      found = true;
    }
  };
  std::vector<record::Finding> out;
  for (const Json& f : findings) {
    record::Finding one = record::FindingFromJson(f);
    name_place(f, "pcs", one.place);
    if (f.contains("other_pcs") && !one.other) one.other.emplace();
    if (one.other) name_place(f, "other_pcs", *one.other);
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<toolchain::SourceLine> NameSites(toolchain::Builder& builder, const std::string& so, const Json& sites) {
  std::set<uint64_t> pcs;
  for (const Json& site : sites)
    for (const Json& pc : site) pcs.insert(pc.get<uint64_t>());
  std::vector<toolchain::SourceLine> out;
  auto named = builder.Symbolize(so, {pcs.begin(), pcs.end()});
  if (!named.ok()) return out;
  std::set<std::pair<std::string, int>> seen;
  for (auto& line : *named)
    if (!line.file.empty() && line.file.find("include/ascendc/") == std::string::npos &&
        seen.insert({line.file, line.line}).second)
      out.push_back(std::move(line));
  return out;
}

RunOutcome OutcomeOf(const Json& reply, const std::vector<record::Finding>& findings) {
  std::string status = reply.value("status", "error"), detail = reply.value("detail", "");
  const record::Finding* last = nullptr;
  for (const auto& f : findings)
    if (!f.warning && !f.undecided) last = &f;
  if (status == "ok") return {};
  if (status == "unsupported") return {Verdict::kUnsupported, "akgen does not have the API " + detail};
  if (status == "timeout") return {Verdict::kTimeout, detail.empty() ? "the kernel did not end in time" : detail};
  if (status == "error") return {Verdict::kInfraError, detail};
  bool stopped = status == "deadlock" || status == "stopped";
  return {stopped && last ? Verdict::kFinding : Verdict::kRuntimeError,
          last ? last->code + ": " + last->message : status + ": " + detail};
}

RunOutcome OutcomeOf(const std::vector<record::Finding>& findings) {
  const record::Finding* open = nullptr;
  for (const auto& f : findings) {
    if (!f.warning && !f.undecided) return {Verdict::kFinding, f.code + ": " + f.message};
    if (f.undecided && !open) open = &f;
  }
  if (open) return {Verdict::kUndecided, open->code + ": " + open->message};
  return {};
}

}  // namespace akgen::judge
