#include "lm/tokenizer/chat.h"

namespace akgen::lm {

base::Result<ChatTokens> RenderChat(const Tokenizer& t, const std::vector<Message>& messages,
                                    bool open_answer) {
  int begin = t.Find("<|im_start|>"), end = t.Find("<|im_end|>");
  if (begin < 0 || end < 0)
    return base::Error{"AK1911", "the tokenizer has no <|im_start|> and <|im_end|>",
                       "tokenizer.json", "use a tokenizer of the Qwen family or one trained here"};
  ChatTokens out;
  auto put = [&](const std::vector<int>& ids, bool answer) {
    out.ids.insert(out.ids.end(), ids.begin(), ids.end());
    out.answer.resize(out.ids.size(), answer);
  };
  const std::vector<int> newline = t.Encode("\n", false);
  for (const Message& m : messages) {
    bool answer = m.role == "assistant";
    put({begin}, false);
    put(t.Encode(m.role + "\n" + (answer ? "" : m.content), false), false);
    if (answer) put(t.Encode(m.content, false), true);
    put({end}, answer);
    put(newline, false);
  }
  if (open_answer) put({begin}, false), put(t.Encode("assistant\n", false), false);
  return out;
}

base::Result<std::vector<Message>> MessagesOf(const base::Json& json, const std::string& where) {
  std::vector<Message> messages;
  base::Error bad{"AK1920", "messages are a list of objects with the texts `role` and `content`",
                  where, ""};
  if (!json.is_array() || json.empty()) return bad;
  for (const base::Json& m : json) {
    if (!m.is_object() || !m.contains("role") || !m["role"].is_string() || !m.contains("content") ||
        !m["content"].is_string())
      return bad;
    messages.push_back({m["role"].get<std::string>(), m["content"].get<std::string>()});
  }
  return messages;
}

}  // namespace akgen::lm
