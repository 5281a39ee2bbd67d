#include "lm/tokenizer/tokenizer.h"

#include <algorithm>

namespace akgen::lm {

namespace {
int ToInt(size_t n) { return int(n); }
uint64_t Key(int a, int b) { return (uint64_t(uint32_t(a)) << 32) | uint32_t(b); }
}  // namespace

void Tokenizer::AddToken(const AddedToken& token) {
  if (token.id >= ToInt(bytes_.size())) bytes_.resize(size_t(token.id) + 1);
  bytes_[size_t(token.id)] = token.content;
  added_ids_[token.id] = added_.size();
  added_.push_back(token);
}

int Tokenizer::Find(std::string_view content) const {
  for (const AddedToken& t : added_)
    if (t.content == content) return t.id;
  return -1;
}

base::Status Tokenizer::SetPattern(const std::string& pattern) {
  auto splitter = Splitter::Compile(pattern);
  if (!splitter.ok()) return splitter.error();
  pattern_ = pattern;
  splitter_ = *splitter;
  return {};
}

base::Result<Tokenizer> Tokenizer::Make(std::vector<std::string> vocab,
                                        const std::vector<std::pair<int, int>>& merges,
                                        const std::vector<AddedToken>& added,
                                        const std::string& pattern) {
  Tokenizer t;
  t.bytes_ = std::move(vocab);
  for (size_t i = 0; i < t.bytes_.size(); ++i) t.ids_.emplace(t.bytes_[i], ToInt(i));
  for (auto [a, b] : merges) {
    auto it = t.ids_.find(t.bytes_[size_t(a)] + t.bytes_[size_t(b)]);
    if (it == t.ids_.end())
      return base::Error{"AK1910", "a merge leads to no token",
                         t.bytes_[size_t(a)] + " " + t.bytes_[size_t(b)], ""};
    t.merges_.emplace(Key(a, b), Merge{ToInt(t.merge_list_.size()), it->second});
    t.merge_list_.push_back({a, b});
  }
  for (const AddedToken& a : added) t.AddToken(a);
  if (auto s = t.SetPattern(pattern); !s.ok()) return s.error();
  return t;
}

// Merges of the lowest rank first, from left to right.
void Tokenizer::EncodePiece(std::string_view piece, std::vector<int>& out) const {
  if (ignore_merges_) {
    auto whole = ids_.find(std::string(piece));
    if (whole != ids_.end()) return out.push_back(whole->second);
  }
  std::vector<int> ids;
  ids.reserve(piece.size());
  for (char c : piece) {
    auto it = ids_.find(std::string(1, c));
    if (it != ids_.end()) ids.push_back(it->second);  // a byte without a token has no id to give
  }
  while (ids.size() > 1) {
    int best = INT32_MAX, id = -1;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      auto it = merges_.find(Key(ids[i], ids[i + 1]));
      if (it != merges_.end() && it->second.rank < best) best = it->second.rank, id = it->second.id;
    }
    if (id < 0) break;
    auto [a, b] = merge_list_[size_t(best)];
    size_t n = 0;
    for (size_t i = 0; i < ids.size(); ++n) {
      bool join = i + 1 < ids.size() && ids[i] == a && ids[i + 1] == b;
      ids[n] = join ? id : ids[i];
      i += join ? 2 : 1;
    }
    ids.resize(n);
  }
  out.insert(out.end(), ids.begin(), ids.end());
}

void Tokenizer::EncodeText(std::string_view text, std::vector<int>& out) const {
  splitter_->Split(text, [&](std::string_view piece) { EncodePiece(piece, out); });
}

std::vector<int> Tokenizer::Encode(std::string_view text, bool added) const {
  std::vector<int> out;
  while (added && !added_.empty() && !text.empty()) {
    size_t at = std::string_view::npos;
    const AddedToken* found = nullptr;
    for (const AddedToken& t : added_) {  // leftmost, then longest
      size_t p = text.find(t.content);
      if (p == std::string_view::npos) continue;
      if (p < at || (p == at && t.content.size() > found->content.size())) at = p, found = &t;
    }
    if (!found) break;
    EncodeText(text.substr(0, at), out);
    out.push_back(found->id);
    text.remove_prefix(at + found->content.size());
  }
  EncodeText(text, out);
  return out;
}

std::string Tokenizer::Decode(const std::vector<int>& ids, bool keep_special) const {
  std::string out;
  for (int id : ids) {
    if (id < 0 || id >= size()) continue;
    auto it = added_ids_.find(id);
    if (!keep_special && it != added_ids_.end() && added_[it->second].special) continue;
    out += Bytes(id);
  }
  return out;
}

}  // namespace akgen::lm
