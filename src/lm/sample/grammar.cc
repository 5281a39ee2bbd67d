#include "lm/sample/grammar.h"

#include <algorithm>

namespace akgen::lm {
using base::Error;

namespace {
constexpr size_t kMaxNodes = 4'000'000;  // places of the machine, over the whole life of a grammar
constexpr size_t kMaxOpened = 100'000;   // places behind one byte: only left recursion opens more

// A rule that can begin with itself before a byte was read never ends. Edges in the last place of a
// sequence are harmless (x* of an x that may be empty): the machine does not grow along them.
class LeftRecursion {
 public:
  explicit LeftRecursion(const GrammarRules& r) : r_(r), nullable_(r.alternatives.size(), false) {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < nullable_.size(); ++i)
        if (!nullable_[i] && AnyNullable(i)) nullable_[i] = changed = true;
    }
  }

  // The number of a rule that is left recursive, or -1. Tarjan's components would do in linear
  // time; rules are few.
  int32_t Find() {
    for (size_t i = 0; i < nullable_.size(); ++i)
      for (auto [to, tail] : Edges(int32_t(i)))
        if (!tail && Reaches(to, int32_t(i))) return int32_t(i);
    return -1;
  }

 private:
  bool AnyNullable(size_t rule) const {
    for (int32_t at : r_.alternatives[rule]) {
      while (r_.elements[size_t(at)].kind == GrammarElement::kRule &&
             nullable_[size_t(r_.elements[size_t(at)].index)])
        ++at;
      if (r_.elements[size_t(at)].kind == GrammarElement::kEnd) return true;
    }
    return false;
  }
  std::vector<std::pair<int32_t, bool>> Edges(int32_t rule) const {
    std::vector<std::pair<int32_t, bool>> out;
    for (int32_t at : r_.alternatives[size_t(rule)])
      for (; r_.elements[size_t(at)].kind == GrammarElement::kRule; ++at) {
        int32_t to = r_.elements[size_t(at)].index;
        out.push_back({to, r_.elements[size_t(at) + 1].kind == GrammarElement::kEnd});
        if (!nullable_[size_t(to)]) break;
      }
    return out;
  }
  bool Reaches(int32_t from, int32_t goal) const {
    std::vector<bool> seen(nullable_.size(), false);
    std::vector<int32_t> open = {from};
    while (!open.empty()) {
      int32_t r = open.back();
      open.pop_back();
      if (r == goal) return true;
      if (seen[size_t(r)]) continue;
      seen[size_t(r)] = true;
      for (auto [to, tail] : Edges(r)) open.push_back(to);
    }
    return false;
  }

  const GrammarRules& r_;
  std::vector<bool> nullable_;
};
}  // namespace

int32_t Grammar::Intern(int32_t at, int32_t parent) {
  auto [it, fresh] =
      node_ids_.emplace((uint64_t(uint32_t(at)) << 32) | uint32_t(parent), int32_t(nodes_.size()));
  if (fresh) nodes_.push_back({at, parent}), seen_.push_back(0);
  return it->second;
}

// The node behind the element of `node`; at the end of a rule, the one that waits for it, so that
// tail calls do not grow.
int32_t Grammar::After(int32_t node) {
  Node n = nodes_[size_t(node)];
  return rules_.elements[size_t(n.at) + 1].kind == GrammarElement::kEnd
             ? n.parent
             : Intern(n.at + 1, n.parent);
}

// Follows rules until bytes are due. False when the machine would grow without end.
bool Grammar::Expand(int32_t node, std::vector<int32_t>& out, bool& accepts) {
  std::vector<int32_t> open = {node};
  for (size_t opened = 0; !open.empty(); ++opened) {
    if (opened > kMaxOpened || nodes_.size() > kMaxNodes) return false;
    int32_t n = open.back();
    open.pop_back();
    if (n < 0) {
      accepts = true;
      continue;
    }
    if (seen_[size_t(n)] == mark_) continue;
    seen_[size_t(n)] = mark_;
    const GrammarElement e = rules_.elements[size_t(nodes_[size_t(n)].at)];
    if (e.kind == GrammarElement::kBytes) {
      out.push_back(n);
    } else if (e.kind == GrammarElement::kEnd) {
      open.push_back(nodes_[size_t(n)].parent);
    } else {
      int32_t parent = After(n);
      for (int32_t at : rules_.alternatives[size_t(e.index)]) open.push_back(Intern(at, parent));
    }
  }
  return true;
}

int Grammar::AddState(std::vector<int32_t> nodes, bool accepts) {
  if (nodes.empty() && !accepts) return kDead;
  std::sort(nodes.begin(), nodes.end());
  auto [it, fresh] = state_ids_.emplace(std::make_pair(nodes, accepts), int(states_.size()));
  if (fresh) {
    State s;
    s.nodes = std::move(nodes), s.accepts = accepts;
    s.next.fill(kUnknown);
    states_.push_back(std::move(s));
  }
  return it->second;
}

base::Result<std::shared_ptr<Grammar>> Grammar::Parse(std::string_view text,
                                                      const std::string& where) {
  auto rules = ParseGbnf(text, where);
  if (!rules.ok()) return rules.error();
  if (int32_t r = LeftRecursion(*rules).Find(); r >= 0) {
    std::string name = rules->names[size_t(r)];
    return Error{"AK1931",
                 (name.empty() ? "a group" : "rule `" + name + "`") +
                     " is left recursive: it can begin with itself",
                 where, "write repetitions as x (op x)*"};
  }
  auto g = std::make_shared<Grammar>();
  g->rules_ = std::move(*rules);
  if (auto begun = g->Begin(); !begun.ok())
    return Error{"AK1931", begun.error().message, where, ""};
  return g;
}

base::Status Grammar::Begin() {
  std::vector<int32_t> nodes;
  bool accepts = false;
  ++mark_;
  for (int32_t at : rules_.alternatives[size_t(rules_.root)])
    if (!Expand(Intern(at, -1), nodes, accepts))
      return Error{"AK1931", "the grammar opens too many ways at its beginning", "", ""};
  if (AddState(nodes, accepts) == kDead) return Error{"AK1931", "no text has this grammar", "", ""};
  return {};
}

void Grammar::Forget() {
  nodes_.clear(), node_ids_.clear(), states_.clear(), state_ids_.clear(), seen_.clear();
  (void)Begin();  // it was possible before
}

int Grammar::Next(int state, unsigned char byte) {
  if (state < 0) return kDead;
  if (states_[size_t(state)].next[byte] != kUnknown) return states_[size_t(state)].next[byte];
  std::vector<int32_t> nodes;
  bool accepts = false, fits = true;
  ++mark_;
  for (int32_t n : states_[size_t(state)].nodes)
    if (rules_.sets[size_t(rules_.elements[size_t(nodes_[size_t(n)].at)].index)][byte])
      fits = fits && Expand(After(n), nodes, accepts);
  int next = fits ? AddState(std::move(nodes), accepts) : kDead;
  states_[size_t(state)].next[byte] = next;
  return next;
}

int Grammar::Next(int state, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size() && state != kDead; ++i)
    state = Next(state, static_cast<unsigned char>(bytes[i]));
  return state;
}

}  // namespace akgen::lm
