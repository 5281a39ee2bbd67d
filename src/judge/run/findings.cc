#include "judge/run/findings.h"

#include <algorithm>
#include <set>

#include "judge/time/timing.h"

namespace akgen::judge {
using base::Json;
using record::Verdict;

namespace {
constexpr const char* kOwnHeaders = "include/ascendc/";

// The first address outside akgen's own headers is the kernel's line.
void NamePlace(const std::vector<toolchain::SourceLine>& lines, size_t from, size_t n,
               record::Place& place) {
  for (size_t i = from; i < std::min(from + n, lines.size()); ++i) {
    if (lines[i].file.empty() || lines[i].file.find(kOwnHeaders) != std::string::npos) continue;
    place.file = lines[i].file;
    place.line = lines[i].line;
    return;
  }
}
}  // namespace

std::vector<record::Finding> NameFindings(Executor& executor, const std::string& so,
                                          const std::vector<sim::RunFinding>& findings) {
  std::vector<uint64_t> pcs;
  for (const sim::RunFinding& f : findings) {
    pcs.insert(pcs.end(), f.pcs.begin(), f.pcs.end());
    pcs.insert(pcs.end(), f.other_pcs.begin(), f.other_pcs.end());
  }
  std::vector<toolchain::SourceLine> lines;
  if (!pcs.empty())
    if (auto named = executor.Symbolise(so, pcs); named.ok()) lines = std::move(*named);
  std::vector<record::Finding> out;
  size_t at = 0;
  for (const sim::RunFinding& f : findings) {
    record::Finding one = f.finding;
    NamePlace(lines, at, f.pcs.size(), one.place);
    at += f.pcs.size();
    if (!f.other_pcs.empty() && !one.other) one.other.emplace();
    if (one.other) NamePlace(lines, at, f.other_pcs.size(), *one.other);
    at += f.other_pcs.size();
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<toolchain::SourceLine> NameSites(Executor& executor, const std::string& so,
                                             const std::vector<std::vector<uint64_t>>& sites) {
  std::set<uint64_t> pcs;
  for (const auto& site : sites) pcs.insert(site.begin(), site.end());
  std::vector<toolchain::SourceLine> out;
  if (pcs.empty()) return out;
  auto named = executor.Symbolise(so, {pcs.begin(), pcs.end()});
  if (!named.ok()) return out;
  std::set<std::pair<std::string, int>> seen;
  for (auto& line : *named)
    if (!line.file.empty() && line.file.find(kOwnHeaders) == std::string::npos &&
        seen.insert({line.file, line.line}).second)
      out.push_back(std::move(line));
  return out;
}

Json NameModelled(Executor& executor, const std::string& so, const sim::RunReply& reply) {
  if (reply.trace_cut || !reply.unmodelled.empty())
    return record::ToJson(record::NoTime{false, reply.trace_cut ? "" : reply.unmodelled});
  Json modelled = reply.modelled;
  if (modelled.is_object() && !executor.CountsWork())
    return record::ToJson(record::NoTime{true, ""});
  NoteRange(modelled);
  if (const auto time = record::LaunchTimeFromJson(modelled); time && !time->tried)
    modelled["what_if"] = Json::array();  // nothing would help
  const auto sites = record::SiteAddressesFromJson(modelled);
  if (!sites) return modelled;
  std::vector<uint64_t> pcs;
  for (const auto& site : *sites) pcs.insert(pcs.end(), site.begin(), site.end());
  std::vector<toolchain::SourceLine> lines;
  if (auto named = executor.Symbolise(so, pcs); named.ok()) lines = std::move(*named);
  size_t at = 0;
  std::vector<record::TimeSite> named;
  for (const auto& site : *sites) {
    record::TimeSite place;
    for (size_t i = 0; i < site.size(); ++i, ++at) {
      bool own = at < lines.size() && !lines[at].file.empty() &&
                 lines[at].file.find("include/ascendc/") == std::string::npos;
      if (own && place.line == 0) place = {lines[at].file, lines[at].line};
    }
    named.push_back(std::move(place));
  }
  modelled["sites"] = record::ToJson(named);
  return modelled;
}

RunOutcome OutcomeOf(const std::string& status, const std::string& detail,
                     const std::vector<record::Finding>& findings) {
  const record::Finding* last = nullptr;
  for (const auto& f : findings)
    if (!f.warning && !f.undecided) last = &f;
  if (status == "ok") return {};
  if (status == "unsupported")
    return {Verdict::kUnsupported, "akgen does not have the API " + detail};
  if (status == "timeout")
    return {Verdict::kTimeout, detail.empty() ? "the kernel did not end in time" : detail};
  if (status == "error") return {Verdict::kInfraError, detail};
  if (status == "malformed") return {Verdict::kRuntimeError, detail};
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
