// The local models that the server answers for: each one process of akgen-lm, asked by threads that
// may wait.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "generate/model.h"
#include "serve/router.h"

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
  explicit ModelHost(size_t most_waiting) : most_waiting_(most_waiting) {}
  void Work();
  size_t most_waiting_;
  std::atomic<bool> stop_{false};  // models look at it
  std::map<std::string, std::unique_ptr<generate::Model>> models_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
};

}  // namespace akgen::serve
