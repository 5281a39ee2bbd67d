// An OpenAI-compatible endpoint: chat or completions, streaming or not, with retries, limits, cache
// and transcript.
#pragma once
#include "generate/http.h"
#include "generate/limits.h"
#include "generate/transcript.h"

namespace akgen::generate {

class Endpoint : public Model {
 public:
  Endpoint(const ModelSettings& settings, const std::atomic<bool>* stop);
  base::Result<std::vector<Answer>> Ask(const Request& request) override;
  void Spent(int64_t prompt_tokens, int64_t completion_tokens) override {
    budget_.Spend(prompt_tokens, completion_tokens);
  }

  // What is sent.
  base::Json Body(const Request& request) const;

 private:
  struct Attempt {
    std::vector<Answer> answers;  // empty: it failed
    base::Error error;
    bool again = false;  // worth another attempt
    double wait_s = -1;  // as the server asks
  };
  Attempt Try(const std::string& body) const;
  base::Result<std::vector<Answer>> Insist(const std::string& body, base::Json& trouble);
  bool Sleep(double seconds) const;  // false: stopped
  std::string Clean(std::string text) const;
  std::filesystem::path CachePath(const base::Json& body) const;

  ModelSettings s_;
  const std::atomic<bool>* stop_;
  std::string url_, key_;
  RateLimit rate_;
  Budget budget_;
  Transcript transcript_;
};

}  // namespace akgen::generate
