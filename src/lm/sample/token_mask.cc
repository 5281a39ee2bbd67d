#include "lm/sample/token_mask.h"

#include <algorithm>

namespace akgen::lm {

namespace {
constexpr size_t kMaxMasks = 20000;
}

TokenMask::TokenMask(const Tokenizer& tokenizer, std::shared_ptr<Grammar> grammar)
    : tokenizer_(&tokenizer), grammar_(std::move(grammar)), trie_(1) {
  for (int id = 0; id < tokenizer.size(); ++id) {
    if (tokenizer.IsAdded(id) || tokenizer.Bytes(id).empty()) continue;
    int at = 0;
    for (unsigned char b : tokenizer.Bytes(id)) {
      auto& children = trie_[size_t(at)].children;
      auto it = std::find_if(children.begin(), children.end(),
                             [&](const auto& c) { return c.first == b; });
      if (it != children.end()) {
        at = it->second;
      } else {
        int next = int(trie_.size());
        children.push_back({b, next});
        trie_.emplace_back();
        at = next;
      }
    }
    trie_[size_t(at)].tokens.push_back(id);
  }
}

void TokenMask::Begin(size_t most) {
  if (grammar_->places() <= most) return;
  grammar_->Forget();
  masks_.clear();
}

void TokenMask::Walk(int node, int state, std::vector<int>& out) {
  out.insert(out.end(), trie_[size_t(node)].tokens.begin(), trie_[size_t(node)].tokens.end());
  for (auto [byte, child] : trie_[size_t(node)].children)
    if (int next = grammar_->Next(state, byte); next != Grammar::kDead) Walk(child, next, out);
}

const std::vector<int>& TokenMask::Allowed(int state) {
  auto it = masks_.find(state);
  if (it != masks_.end()) return it->second;
  if (masks_.size() >= kMaxMasks) masks_.clear();
  std::vector<int> out;
  if (state >= 0) Walk(0, state, out);
  std::sort(out.begin(), out.end());
  return masks_[state] = std::move(out);
}

}  // namespace akgen::lm
