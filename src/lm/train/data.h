// Training samples out of JSONL files, as tokens. A line is one of
//   {"messages": [{"role", "content"}, …]}            loss on what the assistant says
//   {"prompt": text, "completion": text}              the same, one user turn (both may also be
//   lists of messages)
//   {"text": text}                                    loss on everything
//   {"prompt": …, "chosen": …, "rejected": …}         a preference
//   {"prompt": …} or {"messages": […]}, anything else  for grpo: what is to be answered; the line
//   goes to the reward
#pragma once
#include <string>
#include <vector>

#include "base/status.h"
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {

struct Sequence {
  std::vector<int32_t> ids;
  std::vector<uint8_t> loss;  // 1: this token is to be predicted
  int64_t targets() const;
};

struct Item {
  std::vector<Sequence> parts;    // one text, or chosen and rejected
  std::vector<double> reference;  // dpo: log probability of each part under the frozen reference;
                                  // grpo: the advantage
  std::string source;             // grpo: the line
  std::string where;              // file:line
  int64_t tokens() const;
};

struct Dataset {
  std::vector<Item> items;
  int64_t too_long = 0;  // lines that were left out: longer than the context
  int64_t tokens = 0, targets = 0;
};

// AK1920: a line is malformed, or nothing is left.
base::Result<Dataset> ReadData(const std::vector<std::string>& files, const Tokenizer& tokenizer,
                               int64_t context, const std::string& objective = "sft");

// Order of an epoch: a shuffle that depends on nothing but seed, epoch and count.
std::vector<int64_t> EpochOrder(uint64_t seed, int64_t epoch, int64_t count);

}  // namespace akgen::lm
