// A language model as generation sees it: messages in, answers out. Endpoints (endpoint.h) and
// files of answers (script_model.h) are behind it.
#pragma once
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "record/journal.h"

namespace akgen::generate {

using record::Message;
using record::ToJson;  // of messages

// How answers are drawn, where a request says so itself.
struct Sampling {
  double temperature = 0.7, top_p = 1;
  int max_tokens = 1024;
  std::string grammar;            // as in ModelSettings
  std::vector<std::string> stop;  // an answer ends before the first of these
  bool operator==(const Sampling&) const = default;
};

struct Request {
  std::vector<Message> messages;
  int n = 1;  // answers wanted
  uint64_t seed = 0;
  base::Json tags = base::Json::object();  // generator, task, sample, turn: for scripts and
                                           // transcripts, not for the model
  int first_answer = -1;  // which of the first answers to its messages it asks for; -1: none
  std::string prefix;     // local models: an earlier answer, …
  size_t prefix_bytes =
      0;  // … of which so many bytes are the prefix of the new one; its text includes the prefix
  double temperature_scale = 1;      // local models: factor of the temperature of the settings
  std::string prompt;                // local models, in place of messages: a text to continue
  std::optional<Sampling> sampling;  // local models, in place of the settings
};

struct Answer {
  std::string text;       // without the reasoning
  std::string reasoning;  // what stood in <think>…</think> or came as reasoning_content
  std::string finish;     // stop, length, …; "too_long": cut at ModelSettings::max_answer_bytes
  int64_t prompt_tokens = 0,
          completion_tokens =
              0;        // as the endpoint counts them, of the whole request, on its first answer
  base::Json logprobs;  // as the endpoint gave them, null where it gave none
  bool cached = false;
  int attempts = 0;  // requests sent for it
  double ms = 0;     // wall clock, waiting included
};
base::Json ToJson(const Answer& answer);
Answer AnswerFromJson(const base::Json& json);

struct ModelSettings {
  std::string
      url;  // "http://host:port/v1", "https://…", "script:FILE", or the folder of a local model
  std::string grammar;  // GBNF text that answers are held to, by a local model or by llama.cpp and
                        // vLLM; empty: none
  std::string name = "default";  // the endpoint's name of the model
  std::string api = "chat";      // chat or completions
  double temperature = 0.7, top_p = 1;
  int max_tokens = 16384;  // per completion; 0: the endpoint's own limit
  bool stream = true, logprobs = false;
  double timeout_s = 600;  // one request in all
  int idle_s = 120;        // nothing arrives for so long
  int retries = 6;         // after the first attempt
  double backoff_s = 1,
         backoff_most_s = 60;  // doubled at each attempt; a Retry-After that is longer is honoured
  double requests_per_minute = 0;  // 0: no limit
  int64_t most_tokens = 0;         // prompt and completion tokens of the whole run; 0: no limit
  double most_cost = 0, price_in = 0,
         price_out = 0;  // cost in the unit of the prices, which are per million tokens
  size_t max_answer_bytes = 1 << 20;
  bool cache = true;  // answers by content of the request, in base::CacheDir()/answers
  std::filesystem::path transcript;  // JSON lines, one a request; empty: none
};

class Model {
 public:
  virtual ~Model() = default;
  // As many answers as wanted, or fewer where the endpoint gives fewer, at least one. Any number of
  // threads may ask. AK0701 no answer, AK0702 the endpoint refuses, AK0703 a malformed reply,
  // AK0704 the budget is spent, AK0705 the script has no answer, AK0709 stopped.
  virtual base::Result<std::vector<Answer>> Ask(const Request& request) = 0;
  // What earlier runs of the same work have used up.
  virtual void Spent(int64_t prompt_tokens, int64_t completion_tokens) {}
};

// The folder of a checkpoint.
bool IsLocal(const std::string& url);
// The key comes from $AKGEN_API_KEY, else $OPENAI_API_KEY, else there is none; it enters no record.
// `stop` ends waits. AK0705 the script cannot be read; AK0708 the URL or a setting makes no sense.
base::Result<std::unique_ptr<Model>> MakeModel(const ModelSettings& settings,
                                               const std::atomic<bool>* stop = nullptr);

// Takes reasoning out of a text: <think>…</think>, also where the opening tag is missing or the
// closing one is.
void SplitReasoning(std::string& text, std::string& reasoning);

}  // namespace akgen::generate
