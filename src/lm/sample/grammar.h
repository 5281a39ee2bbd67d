// A grammar in GBNF as an automaton over bytes: which bytes may come next after what was written.
// States are built lazily and memoised, so that a state met again costs a look-up. Not for several
// threads at a time.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "lm/sample/grammar_rules.h"

namespace akgen::lm {

class Grammar {
 public:
  static constexpr int kDead = -1;  // no text of the grammar begins like this

  // AK1931: malformed (line and column), a rule is missing, left recursion, or more than a machine
  // can hold.
  static base::Result<std::shared_ptr<Grammar>> Parse(std::string_view text,
                                                      const std::string& where);

  int start() const { return 0; }
  // Places that were met so far. They are never given up by themselves, and at four million no new
  // one is opened.
  size_t places() const { return nodes_.size(); }
  // Forgets all but the start; states that were handed out are void.
  void Forget();
  int Next(int state, unsigned char byte);
  // Whether the text may end here.
  bool Accepts(int state) const { return states_[size_t(state)].accepts; }
  int Next(int state, std::string_view bytes);

 private:
  // A place inside a rule, and where the machine goes when that rule is over.
  struct Node {
    int32_t at, parent;  // element number; node number or -1
  };
  struct State {
    std::vector<int32_t> nodes;  // each before a byte set
    bool accepts = false;
    std::array<int32_t, 256> next;  // kUnknown until asked
  };
  static constexpr int32_t kUnknown = -2;

  int32_t Intern(int32_t at, int32_t parent);
  bool Expand(int32_t node, std::vector<int32_t>& out, bool& accepts);
  int AddState(std::vector<int32_t> nodes, bool accepts);
  int32_t After(int32_t node);
  base::Status Begin();

  GrammarRules rules_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, int32_t> node_ids_;
  std::vector<State> states_;
  std::map<std::pair<std::vector<int32_t>, bool>, int> state_ids_;
  std::vector<uint32_t> seen_;  // marks of Expand
  uint32_t mark_ = 0;
};

}  // namespace akgen::lm
