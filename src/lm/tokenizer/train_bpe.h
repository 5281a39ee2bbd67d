// Learns a vocabulary from texts. The same texts in the same order give the same tokenizer on every
// machine.
#pragma once
#include <string>
#include <vector>

#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {

struct BpeOptions {
  int vocab_size = 4096;  // all tokens: 256 bytes, merges, added tokens
  int min_count = 2;      // a pair seen less often is not merged
  std::string pattern = kQwenPattern;
  std::vector<std::string> added = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
};

class BpeTrainer {
 public:
  // AK1910 when the pattern is malformed or vocab_size leaves no room for bytes and added tokens.
  static base::Result<BpeTrainer> Create(const BpeOptions& options);
  void Add(std::string_view text);
  base::Result<Tokenizer> Finish() const;

 private:
  BpeTrainer() = default;
  BpeOptions options_;
  std::shared_ptr<const Splitter> splitter_;
  std::unordered_map<std::string, int64_t> words_;
};

}  // namespace akgen::lm
