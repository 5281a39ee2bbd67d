#include "bench/compare.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "bench/config.h"
#include "record/judgement.h"

namespace akgen::bench {
using base::Result;
using store::VerdictRow;

namespace {
// "public/hidden" by candidate.
std::map<std::pair<std::string, int>, std::string> ByCandidate(
    const std::vector<VerdictRow>& verdicts) {
  std::map<std::pair<std::string, int>, std::string> out;
  for (const auto& v : verdicts) {
    std::string& s = out[{v.task, v.sample}];
    s += (s.empty() ? "" : "/") + v.verdict;
  }
  return out;
}

bool Right(const std::string& verdicts) { return verdicts == "pass" || verdicts == "pass/pass"; }

using CaseKey = std::tuple<std::string, int, std::string, std::string>;  // unit, sample, part, case

// What a run says of a case.
struct CaseFacts {
  std::map<std::string, int> findings;  // how often each
  bool timed = false;                   // its time was asked for
  double us = 0;
};

std::string TextOf(const record::Finding& f) {
  return f.code + (f.place.file.empty() ? "" : " " + f.place.file) +
         (f.place.line > 0 ? ":" + std::to_string(f.place.line) : "") +
         (f.warning ? " (warning)" : "") + (f.undecided ? " (undecided)" : "");
}

// Of the cases that were judged.
std::map<CaseKey, CaseFacts> ByCase(const std::vector<VerdictRow>& verdicts) {
  std::map<CaseKey, CaseFacts> out;
  for (const VerdictRow& v : verdicts) {
    if (!v.record.is_object()) continue;
    const auto cases = record::CasesFromJson(v.record);
    if (!cases.ok()) continue;  // of a later version: its verdict is compared all the same
    for (const record::CaseRecord& c : *cases) {
      if (!c.verdict) continue;
      CaseFacts& facts = out[{v.task, v.sample, v.part, c.id}];
      for (const record::Finding& f : c.findings) ++facts.findings[TextOf(f)];
      facts.timed = !c.modelled.is_null();
      if (const auto time = c.Time()) facts.us = time->own.us;
    }
  }
  return out;
}

void CompareCases(const std::vector<VerdictRow>& first, const std::vector<VerdictRow>& second,
                  RunComparison& out) {
  const auto x = ByCase(first), y = ByCase(second);
  for (const auto& [key, before] : x) {
    const auto other = y.find(key);
    if (other == y.end()) continue;
    const CaseFacts& after = other->second;
    const auto& [unit, sample, part, id] = key;
    const ComparedCase at{unit, part, id, sample};
    std::map<std::string, std::pair<int, int>> counts;
    for (const auto& [text, n] : before.findings) counts[text].first = n;
    for (const auto& [text, n] : after.findings) counts[text].second = n;
    for (const auto& [text, n] : counts)
      if (n.first != n.second) out.findings.push_back({at, text, n.first, n.second});
    if (before.timed && after.timed && before.us != after.us)
      out.times.push_back({at, before.us, after.us});
  }
}
}  // namespace

double McNemar(int b, int c) {
  int n = b + c, k = std::min(b, c);
  if (n == 0) return 1;
  double p = 0;
  for (int i = 0; i <= k; ++i)
    p += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) -
                  n * std::log(2.0));
  return std::min(1.0, 2 * p);
}

Result<RunComparison> Compare(const store::Store& a, const store::RunRow& run_a,
                              const store::Store& b, const store::RunRow& run_b) {
  auto first = a.Evidence(run_a.id), second = b.Evidence(run_b.id);
  if (!first.ok() || !second.ok()) return first.ok() ? second.error() : first.error();
  auto x = ByCandidate(*first), y = ByCandidate(*second);
  RunComparison out;
  out.different_config = Differences(run_a.config, run_b.config);
  record::Mixture mixture;
  for (const auto* run : {&*first, &*second})
    for (const auto& v : *run) mixture.Add(v.record);
  out.mixture = mixture.Said();
  std::map<std::pair<std::string, int>, bool> all;
  for (auto& [key, v] : x) all[key];
  for (auto& [key, v] : y) all[key];
  for (auto& [key, unused] : all) {
    std::string before = x.contains(key) ? x[key] : "missing",
                after = y.contains(key) ? y[key] : "missing";
    bool r1 = Right(before), r2 = Right(after);
    ++(r1 && r2 ? out.both : r1 ? out.only_first : r2 ? out.only_second : out.neither);
    if (before != after) out.flips.push_back({key.first, before, after, key.second});
  }
  CompareCases(*first, *second, out);
  out.p_value = McNemar(out.only_first, out.only_second);
  return out;
}

}  // namespace akgen::bench
