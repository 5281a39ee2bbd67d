// The Model Context Protocol for one client on this machine, which started the process and speaks
// in lines.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>

#include "serve/judge_service.h"
#include "serve/mcp.h"

namespace akgen::serve {

class LocalMcp {
 public:
  // `say` takes one line, without its end; any thread calls it, one at a time, and it must not
  // block. AK0909.
  static base::Result<std::unique_ptr<LocalMcp>> Start(JudgeService::Options options,
                                                       std::function<void(std::string)> say);
  ~LocalMcp();
  void Hear(const std::string& line);
  // Returns when what was asked is answered, at the latest after `most`: the client may close its
  // side and read on.
  void Finish(std::chrono::milliseconds most);

 private:
  struct Open {  // requests that are not answered
    std::mutex mutex;
    std::condition_variable changed;
    size_t count = 0;
  };
  LocalMcp() = default;
  void Say(const base::Json& message);
  std::mutex mutex_;
  std::function<void(std::string)> say_;
  std::shared_ptr<Open> open_ = std::make_shared<Open>();
  Metrics metrics_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Mcp> mcp_;
  std::unique_ptr<JudgeService> service_;  // goes first: its threads reply
};

}  // namespace akgen::serve
