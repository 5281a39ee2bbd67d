// Which tokens may come next under a grammar: the vocabulary as a trie, walked with the grammar's
// machine. Masks of states that were met are kept.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "lm/sample/grammar.h"
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {

class TokenMask {
 public:
  TokenMask(const Tokenizer& tokenizer, std::shared_ptr<Grammar> grammar);
  int start() const { return grammar_->start(); }
  // Before a text: forgets what was met in earlier ones when that has become much (a machine with
  // no place left allows nothing new). States are void then.
  void Begin(size_t most = 500'000);
  bool Accepts(int state) const { return state >= 0 && grammar_->Accepts(state); }
  int Advance(int state, int token) { return grammar_->Next(state, tokenizer_->Bytes(token)); }
  // Ids that keep the text inside the grammar, in order; without added tokens. Valid until the next
  // call.
  const std::vector<int>& Allowed(int state);

 private:
  struct Trie {
    std::vector<std::pair<unsigned char, int>> children;
    std::vector<int> tokens;
  };
  void Walk(int node, int state, std::vector<int>& out);

  const Tokenizer* tokenizer_;
  std::shared_ptr<Grammar> grammar_;
  std::vector<Trie> trie_;
  std::unordered_map<int, std::vector<int>> masks_;
};

}  // namespace akgen::lm
