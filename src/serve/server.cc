#include "serve/server.h"

#include "serve/handlers.h"

namespace akgen::serve {

base::Result<std::unique_ptr<Server>> Server::Start(Options options) {
  std::unique_ptr<Server> s(new Server);
  auto journal = Journal::Open(options.state);
  if (!journal.ok()) return journal.error();
  s->journal_ = std::move(*journal);
  s->service_ =
      std::make_unique<JudgeService>(std::move(options.service), *s->journal_, s->metrics_);
  if (!options.models.empty()) {
    auto models = ModelHost::Start({.folders = options.models});
    if (!models.ok()) return models.error();
    s->models_ = std::move(*models);
    AddModels(s->router_, *s->models_);
  }
  AddHealth(s->router_, *s->service_, s->metrics_);
  AddV1(s->router_, *s->service_);
  AddJobs(s->router_, *s->service_);
  AddOpenEnv(s->router_, *s->service_);
  AddRewards(s->router_, *s->service_);
  AddSandboxFusion(s->router_, *s->service_);
  AddMcp(s->router_, *s->service_);
  AddPage(s->router_, *s->service_, options.form);
  AddOpenApi(s->router_);
  auto listener = Listener::Open(std::move(options.listener), s->router_, s->metrics_);
  if (!listener.ok()) return listener.error();
  s->listener_ = std::move(*listener);
  return s;
}

void Server::Stop(std::chrono::milliseconds grace) {
  if (service_) service_->Stop(grace);
  constexpr std::chrono::milliseconds kReplies{500};
  if (listener_) listener_->Stop(grace.count() > 0 ? kReplies : grace);
}

}  // namespace akgen::serve
