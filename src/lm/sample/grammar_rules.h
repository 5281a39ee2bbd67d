// GBNF text as flat rules over bytes: characters beyond ASCII become sequences of byte sets,
// repetitions become rules.
#pragma once
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace akgen::lm {

struct GrammarElement {
  enum Kind : uint8_t { kBytes, kRule, kEnd } kind = kEnd;
  int32_t index = 0;  // of the byte set or the rule
};

struct GrammarRules {
  std::vector<GrammarElement> elements;  // alternatives one after the other, each closed by kEnd
  std::vector<std::vector<int32_t>> alternatives;  // of each rule: first elements
  std::vector<std::bitset<256>> sets;
  std::vector<std::string> names;  // empty for rules made of groups and repetitions
  int32_t root = -1;
};

// AK1931, see Grammar::Parse.
base::Result<GrammarRules> ParseGbnf(std::string_view text, const std::string& where);

}  // namespace akgen::lm
