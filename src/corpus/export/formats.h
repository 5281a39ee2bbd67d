// The formats that trainers read. Rows are written as they come, so that memory does not grow with
// the corpus; files appear whole or not at all.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "generate/model.h"

namespace akgen::corpus {

// An answer to learn from: a conversation. What the assistant thought before its last message
// stands apart.
struct Sample {
  std::vector<generate::Message> messages;
  std::string reasoning, name;
  std::string split = "train";  // train, validation, test
};
struct Preference {
  std::vector<generate::Message> prompt;
  std::string chosen_reasoning, chosen, rejected_reasoning, rejected, name;
  std::string split = "train";
};

// Whether trainers can read it: after system messages, user and assistant take turns from the first
// question to the last answer.
bool IsConversation(const std::vector<generate::Message>& messages);

// A line of somebody's chat set, as trl or as sharegpt has it; nothing where it is neither.
std::optional<std::vector<generate::Message>> ConversationFromJson(const base::Json& line);

// trl            sft.jsonl {messages}, preference.jsonl {prompt, chosen, rejected}
// llama_factory  sft.json (alpaca), sft_sharegpt.json, preference.json (sharegpt, ranking),
// dataset_info.json verl           sft.jsonl {messages}, preference.jsonl openai         sft.jsonl
// {messages}, preference.jsonl {input, preferred_output, non_preferred_output} ms_swift sft.jsonl
// {messages}, preference.jsonl {messages, rejected_response} nemo_rl        sft.jsonl {messages,
// task_name}, preference.jsonl {context, completions: [{rank, completion}], task_name}
// mindspeed_llm  sft.jsonl (alpaca), preference.jsonl {system, question, chosen, rejected} Parts
// beside train stand in files of their own: sft_validation.jsonl, … Reasoning stands in
// <think>…</think> before the answer, except for OpenAI, which has no place for it.
const std::vector<std::string>& FormatNames();

class FormatWriter {
 public:
  // `formats`: of FormatNames(). Files appear in DIR/<format> with Close().
  FormatWriter(std::filesystem::path dir, std::vector<std::string> formats);
  ~FormatWriter();
  FormatWriter(const FormatWriter&) = delete;
  FormatWriter& operator=(const FormatWriter&) = delete;
  void Add(const Sample& s);
  void Add(const Preference& p);
  size_t left_out() const {
    return left_out_;
  }  // samples and pairs that were added and are no conversation
  // AK0002: what could not be written.
  base::Status Close();

 private:
  struct File;
  void Row(const std::string& format, const std::string& stem, const std::string& split,
           const base::Json& row);
  File& At(const std::string& format, const std::string& stem, const std::string& split);
  std::filesystem::path dir_;
  std::vector<std::string> formats_;
  std::map<std::string, std::unique_ptr<File>> files_;
  base::Status status_;
  size_t left_out_ = 0;
};

}  // namespace akgen::corpus
