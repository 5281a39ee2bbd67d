// What akgen and akgen-lm say to each other: completions that are asked for, and rewards of what a
// model in training writes. docs/lm.md describes both for other programs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::record {

struct CompletionPrefix {
  std::string text;
  size_t bytes = 0;  // of it that stand; 0: no prefix
};

struct CompletionRequest {
  base::Json messages;  // a conversation; null: `prompt` alone
  std::string prompt;
  std::vector<uint64_t> seeds;  // one for each completion
  double temperature = 0, top_p = 1;
  std::vector<CompletionPrefix> prefixes;  // none, or one for each completion
  int max_tokens = 0;                      // 0: the model's default
  std::string grammar;
  std::vector<std::string> stop;
};

struct CompletionChoice {
  std::string text, finish;
  int64_t tokens = 0;
  double log_p = 0;
};

struct CompletionReply {
  std::optional<base::Error> error;
  std::vector<CompletionChoice> choices;
  int64_t prompt_tokens = 0, tokens = 0;
  double read_s = 0, write_s = 0;  // for the prompt; for the tokens
  base::Json id;                   // of the request, as it said it; null: it said none
};

base::Json ToJson(const CompletionRequest& request);
// What the request calls itself, null where it does not.
base::Json IdOfRequest(const base::Json& request);
base::Json ToJson(const CompletionReply& reply);
// Throws base::Json::exception.
CompletionReply CompletionReplyFromJson(const base::Json& reply);

// The first message of the process: which model it loads. The answer is a CompletionReply without
// choices.
struct LoadModelRequest {
  std::string folder;
};
base::Json ToJson(const LoadModelRequest& request);
std::optional<LoadModelRequest> LoadModelRequestFromJson(
    const base::Json& message);  // nothing: another message

// A completion of a model in training, and where its prompt comes from.
struct RewardedText {
  base::Json source;
  std::string text, finish;
  std::string SourceId() const;  // its "id", or ""
};
// A line out, a line back. {"rollouts": [{"source", "text", "finish"}…]}, {"rewards": [number or
// null…]}
base::Json RolloutsToJson(const std::vector<RewardedText>& rollouts);
std::optional<std::vector<RewardedText>> RolloutsFromJson(
    const base::Json& line);  // nothing: another line
base::Json RewardsToJson(const std::vector<std::optional<double>>& rewards);
std::optional<std::vector<std::optional<double>>> RewardsFromJson(
    const base::Json& line);  // nothing: another line

}  // namespace akgen::record
