#include "corpus/export/pairs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "corpus/export/formats.h"
#include "record/modelled.h"
#include "record/verdict.h"

namespace akgen::corpus {
namespace {
// May it stand in a pair: not what says nothing about the answer, nor what breaks a rule or has
// nothing to judge, nor what is no evidence or answers no question.
bool Paired(const Try& t) {
  return record::Counts({t.verdict, t.sealed}) && record::Rank(t.verdict) > 0 && Asks(t);
}

bool SamePrompt(const Try& a, const Try& b) {
  return std::equal(
      a.prompt.begin(), a.prompt.end(), b.prompt.begin(), b.prompt.end(),
      [](const auto& x, const auto& y) { return x.role == y.role && x.content == y.content; });
}

// Tries of each task that may stand in a pair, each text once; when one text has two verdicts,
// neither can be trusted.
std::map<std::string, std::vector<const Try*>> ByTask(const std::vector<Try>& tries) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> verdicts;
  for (const Try& t : tries) verdicts[{t.task, t.answer}].insert(t.verdict);
  std::map<std::string, std::vector<const Try*>> out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Try& t : tries)
    if (Paired(t) && verdicts[{t.task, t.answer}].size() == 1 &&
        seen.insert({t.task, t.answer}).second)
      out[t.task].push_back(&t);
  return out;
}

std::vector<Pair> PairsOf(const std::vector<const Try*>& tries, const PairOptions& o) {
  std::vector<Pair> out;
  for (const Try* a : tries)
    for (const Try* b : tries) {
      int steps = record::Rank(a->verdict) - record::Rank(b->verdict);
      if (a == b || !SamePrompt(*a, *b)) continue;
      if (steps > 0 && (o.setting == "order" || a->verdict == "pass"))
        out.push_back({a, b, a->verdict + ">" + b->verdict, double(steps)});
      if (o.setting == "order" && a->verdict == "pass" && b->verdict == "pass" &&
          record::SpeedBeyond(a->modelled, b->modelled) > 1 &&
          b->modelled.us >= o.faster * a->modelled.us)
        out.push_back({a, b, "faster", b->modelled.us / a->modelled.us});
    }
  return out;
}

// Takes from each kind in turn until there are enough.
std::vector<Pair> Spread(const std::vector<Pair>& pairs, size_t most) {
  std::map<std::string, std::vector<Pair>> kinds;
  for (const Pair& p : pairs) kinds[p.kind].push_back(p);
  std::vector<Pair> out;
  for (size_t round = 0; most == 0 || out.size() < most; ++round) {
    bool any = false;
    for (const auto& [kind, list] : kinds)
      if (round < list.size() && (most == 0 || out.size() < most))
        out.push_back(list[round]), any = true;
    if (!any) break;
  }
  return out;
}
}  // namespace

bool Asks(const Try& t) {
  std::vector<generate::Message> whole = t.prompt;
  whole.push_back({"assistant", t.answer});
  return IsConversation(whole);
}

std::vector<Pair> MakePairs(const std::vector<Try>& tries, const PairOptions& options) {
  std::vector<Pair> out;
  for (const auto& [task, list] : ByTask(tries)) {
    std::vector<Pair> pairs = Spread(PairsOf(list, options), options.per_task);
    out.insert(out.end(), pairs.begin(), pairs.end());
  }
  return out;
}

std::vector<Repair> FindRepairs(const std::vector<Try>& tries) {
  std::vector<Repair> out;
  std::map<std::tuple<std::string, std::string, int, int>, const Try*> at;
  for (const Try& t : tries) at[{t.source + t.generator, t.task, t.sample, t.turn}] = &t;
  for (const auto& [key, t] : at) {
    if (t->turn == std::numeric_limits<int>::max()) continue;
    auto next =
        at.find({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key) + 1});
    if (next != at.end() && next->second->verdict == "pass" && Paired(*next->second) &&
        Paired(*t) && !t->feedback.empty() && SamePrompt(*t, *next->second))
      out.push_back({t, next->second});
  }
  return out;
}

std::vector<const Try*> Passes(const std::vector<Try>& tries) {
  std::vector<const Try*> out;
  for (const auto& [task, list] : ByTask(tries))
    for (const Try* t : list)
      if (t->verdict == "pass") out.push_back(t);
  return out;
}

}  // namespace akgen::corpus
