// The local models that the server answers for: each one process of akgen-lm, asked by threads that
// may wait.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generate/model.h"
#include "serve/router.h"
#include "serve/work_queue.h"

namespace akgen::serve {

class ModelHost {
 public:
  struct Options {
    std::vector<std::string> folders;
    size_t most_waiting = 256;  // requests, beyond those being answered
    int threads = 8;  // requests with one prompt that wait together are one batch of the model
  };
  // Named by the last part of their folder; loaded at once. AK0902 two of one name, or no folder of
  // a model; what akgen-lm says.
  static base::Result<std::unique_ptr<ModelHost>> Start(const Options& options);
  ~ModelHost();
  std::vector<std::string> Names() const;
  using Answers = base::Result<std::vector<generate::Answer>>;
  // `then` once, by a thread of its own. False: there is too much to do, and `then` is not called.
  // AK0901 no such model.
  bool Ask(const std::string& model, std::vector<generate::Request> requests,
           std::shared_ptr<Presence> presence, std::function<void(Answers)> then);

 private:
  explicit ModelHost(const Options& o) : work_(o.threads, o.most_waiting) {}
  std::atomic<bool> stop_{false};  // models look at it
  std::map<std::string, std::unique_ptr<generate::Model>> models_;
  WorkQueue work_;
};

}  // namespace akgen::serve
