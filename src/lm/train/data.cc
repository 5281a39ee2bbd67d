#include "lm/train/data.h"

#include <algorithm>
#include <fstream>
#include <numeric>
#include <optional>

#include "base/fields.h"
#include "lm/tokenizer/chat.h"

namespace akgen::lm {
using base::Error;
using base::Json;

int64_t Sequence::targets() const { return std::accumulate(loss.begin(), loss.end(), int64_t(0)); }

int64_t Item::tokens() const {
  int64_t n = 0;
  for (const Sequence& s : parts) n += int64_t(s.ids.size());
  return n;
}

namespace {
// A text, or a list of messages.
base::Result<std::vector<Message>> Turns(const Json& j, const char* role,
                                         const std::string& where) {
  if (j.is_string()) return std::vector<Message>{{role, j.get<std::string>()}};
  return MessagesOf(j, where);
}

base::Result<Sequence> ChatSequence(const Tokenizer& t, std::vector<Message> messages,
                                    const std::vector<Message>& more) {
  messages.insert(messages.end(), more.begin(), more.end());
  auto chat = RenderChat(t, messages, false);
  if (!chat.ok()) return chat.error();
  return Sequence{{chat->ids.begin(), chat->ids.end()}, chat->answer};
}

base::Result<Sequence> TextSequence(const Tokenizer& t, const std::string& text) {
  std::vector<int> ids = t.Encode(text, false);
  int end = t.Find("<|endoftext|>");
  if (end >= 0) ids.push_back(end);
  return Sequence{{ids.begin(), ids.end()}, std::vector<uint8_t>(ids.size(), 1)};
}

// A line of a data set: a prompt and what follows it, a whole conversation, or a plain text.
// Prompts and what follows them are texts or lists of messages.
struct DataLine {
  std::optional<Json> prompt, completion, chosen, rejected, messages, text;

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("prompt", m.prompt);
    io.Field("completion", m.completion);
    io.Field("chosen", m.chosen);
    io.Field("rejected", m.rejected);
    io.Field("messages", m.messages);
    io.Field("text", m.text);
  }
};

// A prompt up to where the answer begins.
base::Result<Sequence> OpenSequence(const Tokenizer& t, const DataLine& line,
                                    const std::string& where) {
  if (!line.prompt && !line.messages)
    return Error{"AK1920", "the line has neither prompt nor messages", where, "see docs/lm.md"};
  auto messages = Turns(line.prompt ? *line.prompt : *line.messages, "user", where);
  if (!messages.ok()) return messages.error();
  auto chat = RenderChat(t, *messages, true);
  if (!chat.ok()) return chat.error();
  return Sequence{{chat->ids.begin(), chat->ids.end()}, std::vector<uint8_t>(chat->ids.size(), 0)};
}

base::Result<Item> ItemOf(const Json& j, const Tokenizer& t, const std::string& objective,
                          const std::string& where) {
  Item item;
  item.where = where;
  const DataLine line = j.is_object() ? base::MessageFromJson<DataLine>(j) : DataLine();
  bool preferences = objective == "dpo";
  auto add = [&](base::Result<Sequence> s) -> base::Status {
    if (!s.ok()) return s.error();
    if (!s->loss.empty()) s->loss[0] = 0;  // nothing comes before the first token
    item.parts.push_back(std::move(*s));
    return {};
  };
  if (objective == "grpo") {
    item.source = base::Dump(j);
    if (auto s = add(OpenSequence(t, line, where)); !s.ok()) return s.error();
    return item;
  }
  using Answers = std::vector<const std::optional<Json>*>;
  const Answers answers =
      preferences ? Answers{&line.chosen, &line.rejected} : Answers{&line.completion};
  if (line.prompt &&
      std::all_of(answers.begin(), answers.end(), [](const auto* a) { return a->has_value(); })) {
    auto prompt = Turns(*line.prompt, "user", where);
    if (!prompt.ok()) return prompt.error();
    for (const std::optional<Json>* a : answers) {
      auto answer = Turns(**a, "assistant", where);
      if (!answer.ok()) return answer.error();
      if (auto s = add(ChatSequence(t, *prompt, *answer)); !s.ok()) return s.error();
    }
  } else if (!preferences && line.messages) {
    auto messages = MessagesOf(*line.messages, where);
    if (!messages.ok()) return messages.error();
    if (auto s = add(ChatSequence(t, *messages, {})); !s.ok()) return s.error();
  } else if (!preferences && line.text && line.text->is_string()) {
    if (auto s = add(TextSequence(t, line.text->get<std::string>())); !s.ok()) return s.error();
  } else {
    return Error{"AK1920",
                 preferences ? "the line has no prompt, chosen and rejected"
                             : "the line has neither messages, nor prompt and completion, nor text",
                 where, "see docs/lm.md"};
  }
  return item;
}
}  // namespace

base::Result<Dataset> ReadData(const std::vector<std::string>& files, const Tokenizer& tokenizer,
                               int64_t context, const std::string& objective) {
  Dataset data;
  for (const std::string& file : files) {
    std::ifstream in(file);
    if (!in) return Error{"AK0001", "cannot read", file, ""};
    std::string line;
    for (int64_t n = 1; std::getline(in, line); ++n) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      std::string where = file + ":" + std::to_string(n);
      Json j = base::Parse(line);
      if (j.is_discarded()) return Error{"AK1920", "the line is not JSON", where, ""};
      auto item = ItemOf(j, tokenizer, objective, where);
      if (!item.ok()) return item.error();
      int64_t longest = 0, targets = INT64_MAX;
      for (const Sequence& s : item->parts)
        longest = std::max(longest, int64_t(s.ids.size())),
        targets = std::min(targets, s.targets());
      if (longest > context || (targets == 0 && objective != "grpo")) {
        data.too_long += longest > context;
        continue;
      }
      data.tokens += item->tokens();
      for (const Sequence& s : item->parts) data.targets += s.targets();
      data.items.push_back(std::move(*item));
    }
  }
  if (data.items.empty())
    return Error{"AK1920",
                 "no sample is left (" + std::to_string(data.too_long) +
                     " are longer than the context of " + std::to_string(context) + " tokens)",
                 files.empty() ? "data" : files[0], "raise the context, or shorten the samples"};
  return data;
}

std::vector<int64_t> EpochOrder(uint64_t seed, int64_t epoch, int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t(0));
  uint64_t x = seed * 0x9E3779B97F4A7C15ull + uint64_t(epoch + 1) * 0xD1B54A32D192ED03ull;
  for (int64_t i = count - 1; i > 0; --i) {
    x += 0x9E3779B97F4A7C15ull;  // splitmix64
    uint64_t z = x;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    std::swap(order[size_t(i)], order[size_t((z ^ (z >> 31)) % uint64_t(i + 1))]);
  }
  return order;
}

}  // namespace akgen::lm
