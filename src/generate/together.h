// All first answers to a task in one request: a server reads the prompt once for all of them.
#pragma once
#include <map>
#include <mutex>
#include <optional>

#include "generate/model.h"

namespace akgen::generate {

class Together : public Model {
 public:
  // The first turn of samples 0 to n - 1 of a task is one request with the first one's seed.
  Together(Model& model, int n) : model_(model), n_(n) {}
  // Answers that the endpoint did not give are asked for alone.
  base::Result<std::vector<Answer>> Ask(const Request& request) override;
  void Spent(int64_t prompt_tokens, int64_t completion_tokens) override {
    model_.Spent(prompt_tokens, completion_tokens);
  }

 private:
  struct Asked {
    std::mutex mutex;
    std::optional<base::Result<std::vector<Answer>>> reply;
  };
  Model& model_;
  int n_;
  std::mutex mutex_;
  std::map<std::string, Asked> asked_;  // by the messages
};

}  // namespace akgen::generate
