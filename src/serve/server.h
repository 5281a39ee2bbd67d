// A running server: service, handlers and port, started and stopped in the right order.
#pragma once
#include <memory>

#include "serve/judge_service.h"
#include "serve/listener.h"
#include "serve/model_host.h"

namespace akgen::serve {

class Server {
 public:
  struct Options {
    std::vector<std::string> models;  // folders of local models to answer for
    bool form = false;                // the page takes kernels
    std::filesystem::path state;      // the journal of jobs; empty: they are gone with the server
    JudgeService::Options service;
    Listener::Options listener;
  };
  // AK0906, AK0909; errors of ModelHost::Start.
  static base::Result<std::unique_ptr<Server>> Start(Options options);
  ~Server() { Stop(std::chrono::milliseconds(0)); }
  int port() const { return listener_->port(); }
  uint64_t seed() const { return service_->Seed(); }
  // Jobs under way have so long to end. Afterwards nothing is answered any more.
  void Stop(std::chrono::milliseconds grace);

 private:
  Server() = default;
  std::unique_ptr<Journal> journal_;
  Metrics metrics_;
  Router router_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<ModelHost> models_;      // like the next one,
  std::unique_ptr<JudgeService> service_;  // goes before the listener, to which its threads reply
};

}  // namespace akgen::serve
