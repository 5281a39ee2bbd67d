#include "serve/server.h"

#include "serve/handlers.h"

namespace akgen::serve {

base::Result<std::unique_ptr<Server>> Server::Start(Options options) {
  std::unique_ptr<Server> s(new Server);
  s->service_ = std::make_unique<JudgeService>(std::move(options.service), s->metrics_);
  AddHealth(s->router_, *s->service_, s->metrics_);
  AddV1(s->router_, *s->service_);
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
