#include "runner/runner_client.h"

namespace akgen::runner {
namespace {
constexpr const char* kProgram = "akgen-runner";
}

base::Result<Runner> Runner::Start() {
  auto process = base::HelperProcess::Start(kProgram);
  if (!process.ok()) return process.error();
  return Runner(std::move(*process));
}

Runner::~Runner() = default;

base::Result<base::Json> Runner::Call(const base::Json& request, const std::vector<int>& fds,
                                      int timeout_ms) {
  if (!process_.alive()) {
    auto process = base::HelperProcess::Start(kProgram);
    if (!process.ok()) return process.error();
    process_ = std::move(*process);
  }
  if (auto sent = process_.channel().Send(request, fds); !sent.ok()) {
    process_.Stop();
    return sent.error();
  }
  auto reply = process_.channel().Receive(timeout_ms);
  if (!reply.ok()) {
    // Its late answer would be taken for that of the next request.
    process_.Stop();
    return reply.error();
  }
  return std::move(reply->body);
}

}  // namespace akgen::runner
