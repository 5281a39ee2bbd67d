// Conversations as tokens, in the ChatML form of Qwen: <|im_start|>role, newline, content,
// <|im_end|>, newline.
#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "lm/tokenizer/tokenizer.h"

namespace akgen::lm {

struct Message {
  std::string role, content;
};

struct ChatTokens {
  std::vector<int> ids;
  std::vector<uint8_t>
      answer;  // 1 where a token belongs to what the assistant says, its <|im_end|> included
};

// AK1911: the tokenizer has no <|im_start|> and <|im_end|>. Special tokens inside contents stay
// text.
base::Result<ChatTokens> RenderChat(const Tokenizer& tokenizer,
                                    const std::vector<Message>& messages, bool open_answer);
// [{"role": …, "content": …}, …]; AK1920 otherwise.
base::Result<std::vector<Message>> MessagesOf(const base::Json& json, const std::string& where);

}  // namespace akgen::lm
