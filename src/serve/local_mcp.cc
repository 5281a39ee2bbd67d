#include "serve/local_mcp.h"

#include "serve/journal.h"

namespace akgen::serve {
using base::Json;

base::Result<std::unique_ptr<LocalMcp>> LocalMcp::Start(JudgeService::Options options,
                                                        std::function<void(std::string)> say) {
  auto journal = Journal::Open({});
  if (!journal.ok()) return journal.error();
  std::unique_ptr<LocalMcp> out(new LocalMcp);
  out->say_ = std::move(say);
  out->journal_ = std::move(*journal);
  out->service_ = std::make_unique<JudgeService>(std::move(options), *out->journal_, out->metrics_);
  out->mcp_ = std::make_unique<Mcp>(*out->service_, true);
  return out;
}

LocalMcp::~LocalMcp() { service_->Stop(std::chrono::milliseconds(0)); }

void LocalMcp::Say(const Json& message) {
  std::string line = base::Dump(message);
  std::lock_guard lock(mutex_);
  say_(std::move(line));
}

void LocalMcp::Hear(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  const Json message = base::Parse(line);
  if (message.is_discarded())
    return Say(*Mcp::ErrorOf(nullptr, -32700, "the line is no JSON", 400).message);
  {
    std::lock_guard lock(open_->mutex);
    ++open_->count;
  }
  auto answered = [this, open = open_](const McpReply& reply) {
    if (reply.message) Say(*reply.message);
    std::lock_guard lock(open->mutex);
    --open->count;
    open->changed.notify_all();
  };
  mcp_->Hear(message, {{"local", ""},
                       "stdio",
                       std::make_shared<Presence>(),
                       [this](const Json& note) { Say(note); },
                       answered});
}

void LocalMcp::Finish(std::chrono::milliseconds most) {
  std::unique_lock lock(open_->mutex);
  open_->changed.wait_for(lock, most, [this] { return open_->count == 0; });
}

}  // namespace akgen::serve
