#include "lm/tokenizer/train_bpe.h"

#include <algorithm>
#include <queue>
#include <set>

namespace akgen::lm {
namespace {
using Pair = std::pair<int, int>;

struct Word {
  std::vector<int> ids;
  int64_t count;
};

struct PairHash {
  size_t operator()(const Pair& p) const {
    return std::hash<uint64_t>()((uint64_t(uint32_t(p.first)) << 32) | uint32_t(p.second));
  }
};

struct Entry {
  int64_t count;
  Pair pair;
  // The most frequent pair first; among equals the one of the older tokens.
  bool operator<(const Entry& o) const {
    return count != o.count ? count < o.count : pair > o.pair;
  }
};

// Words with the pairs in them; a merge updates only the words that hold its pair.
class Pairs {
 public:
  explicit Pairs(std::vector<Word> words) : words_(std::move(words)) {
    for (size_t w = 0; w < words_.size(); ++w)
      for (size_t i = 0; i + 1 < words_[w].ids.size(); ++i)
        Count({words_[w].ids[i], words_[w].ids[i + 1]}, words_[w].count, w);
    for (const auto& [pair, count] : counts_) heap_.push({count, pair});
  }

  // The pair to merge next, or count 0.
  Entry Best() {
    while (!heap_.empty()) {
      Entry e = heap_.top();
      heap_.pop();
      int64_t now = counts_[e.pair];
      if (now == e.count && now > 0) return e;
      if (now > 0) heap_.push({now, e.pair});
    }
    return {0, {0, 0}};
  }

  void Merge(Pair pair, int id) {
    std::set<size_t> where = std::move(where_[pair]);
    std::set<Pair> changed;
    for (size_t w : where) {
      std::vector<int>& ids = words_[w].ids;
      std::vector<int> merged;
      for (size_t i = 0; i < ids.size();) {
        bool join = i + 1 < ids.size() && ids[i] == pair.first && ids[i + 1] == pair.second;
        merged.push_back(join ? id : ids[i]);
        i += join ? 2 : 1;
      }
      if (merged.size() == ids.size()) continue;
      for (size_t i = 0; i + 1 < ids.size(); ++i) Count({ids[i], ids[i + 1]}, -words_[w].count, w);
      ids = std::move(merged);
      for (size_t i = 0; i + 1 < ids.size(); ++i)
        Count({ids[i], ids[i + 1]}, words_[w].count, w), changed.insert({ids[i], ids[i + 1]});
    }
    for (const Pair& p : changed) heap_.push({counts_[p], p});
    counts_.erase(pair);
  }

 private:
  void Count(Pair p, int64_t by, size_t word) {
    counts_[p] += by;
    if (by > 0) where_[p].insert(word);
  }

  std::vector<Word> words_;
  std::unordered_map<Pair, int64_t, PairHash> counts_;
  std::unordered_map<Pair, std::set<size_t>, PairHash> where_;
  std::priority_queue<Entry> heap_;
};
}  // namespace

base::Result<BpeTrainer> BpeTrainer::Create(const BpeOptions& options) {
  if (options.vocab_size < 256 + int(options.added.size()))
    return base::Error{"AK1910",
                       "a vocabulary of " + std::to_string(options.vocab_size) +
                           " has no room for 256 bytes and the added tokens",
                       "vocab_size", "raise it"};
  auto splitter = Splitter::Compile(options.pattern);
  if (!splitter.ok()) return splitter.error();
  BpeTrainer t;
  t.options_ = options, t.splitter_ = *splitter;
  return t;
}

void BpeTrainer::Add(std::string_view text) {
  splitter_->Split(text, [&](std::string_view piece) { ++words_[std::string(piece)]; });
}

base::Result<Tokenizer> BpeTrainer::Finish() const {
  std::vector<std::string> vocab;
  for (int b = 0; b < 256; ++b) vocab.push_back(std::string(1, char(b)));
  std::vector<Word> words;
  std::vector<std::pair<std::string, int64_t>> sorted(words_.begin(), words_.end());
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [text, count] : sorted) {
    Word w{{}, count};
    for (unsigned char c : text) w.ids.push_back(c);
    words.push_back(std::move(w));
  }
  Pairs pairs(std::move(words));
  std::set<std::string> known(vocab.begin(), vocab.end());
  std::vector<Pair> merges;
  while (int(vocab.size() + options_.added.size()) < options_.vocab_size) {
    Entry best = pairs.Best();
    if (best.count < options_.min_count) break;
    std::string text = vocab[size_t(best.pair.first)] + vocab[size_t(best.pair.second)];
    int id = int(vocab.size());
    if (known.insert(text).second) {
      vocab.push_back(text);
    } else {  // two ways to the same text are one token
      id = int(std::find(vocab.begin(), vocab.end(), text) - vocab.begin());
    }
    merges.push_back(best.pair);
    pairs.Merge(best.pair, id);
  }
  std::vector<AddedToken> added;
  for (const std::string& content : options_.added)
    added.push_back({int(vocab.size() + added.size()), content, true});
  return Tokenizer::Make(std::move(vocab), merges, added, options_.pattern);
}

}  // namespace akgen::lm
