#include "judge/findings.h"

#include <algorithm>
#include <set>

namespace akgen::judge {
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
