// A model of this machine behind the interface of a model: akgen-lm (docs/lm.md) holds the weights
// in a process of its own. Waiting requests with the same prompt are batched; an answer depends on
// its seed alone.
#pragma once
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/channel.h"
#include "generate/transcript.h"

namespace akgen::generate {

class LocalModel : public Model {
 public:
  // AK0013 akgen-lm cannot be started; what it says when the folder is no model.
  static base::Result<std::unique_ptr<Model>> Load(const ModelSettings& settings,
                                                   const std::atomic<bool>* stop);
  ~LocalModel() override;
  base::Result<std::vector<Answer>> Ask(const Request& request) override;

 private:
  struct Waiting {
    const Request* request;
    base::Result<std::vector<Answer>> answers = base::Error{"AK0709", "stopped", "", ""};
    bool done = false;
  };
  LocalModel(const ModelSettings& settings, base::HelperProcess process,
             const std::atomic<bool>* stop);
  void Work();
  void AnswerAll(const std::vector<Waiting*>& together);
  bool Stopped() const { return stop_ && stop_->load(); }

  ModelSettings settings_;
  base::HelperProcess process_;
  const std::atomic<bool>* stop_;
  Transcript transcript_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting*> waiting_;
  bool end_ = false;
  std::thread worker_;
};

}  // namespace akgen::generate
