// akgen-judge: started by akgen with a socket on descriptor 3; judges what it is sent until the
// socket closes.
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include "base/channel.h"
#include "judge/pool/worker_messages.h"

namespace {
using akgen::base::Json;
namespace judge = akgen::judge;

// When akgen is gone nobody waits for the judgement that is under way, and what it started ends
// with this process.
void EndWithTheOther(int socket) {
  pollfd gone{socket, POLLRDHUP, 0};
  while (::poll(&gone, 1, -1) < 0) {}
  ::_exit(0);
}

Json Answer(judge::Judge& judge, const Json& message) {
  auto request = judge::RequestFromMessage(message);
  if (!request.ok()) return request.error().ToString();  // which is no judgement
  if (request->key_only) return judge.HostKey(request->dir, request->task, request->options);
  if (request->launch) {
    auto result = judge.RunKernel(request->dir, *request->launch, request->options);
    return result.ok() ? akgen::record::ToJson(*result) : Json(result.error().ToString());
  }
  if (request->examine) {
    auto found = judge::Examine(request->dir, *request->examine);
    return found.ok() ? judge::ToJson(*found) : Json(found.error().ToString());
  }
  return judge::ToMessage(judge.Run(request->dir, request->task, request->options));
}
}  // namespace

int main() try {
  ::signal(SIGPIPE, SIG_IGN);
  akgen::base::Channel channel = akgen::base::ParentChannel();
  std::thread(EndWithTheOther, channel.fd()).detach();
  auto judge = judge::Judge::Start();
  for (;;) {
    auto message = channel.Receive();
    if (!message.ok()) break;
    const Json answer = judge.ok() ? Answer(*judge, message->body) : Json(judge.error().ToString());
    if (!channel.Send(answer).ok()) break;
  }
  ::_exit(0);
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: an error of akgen-judge itself: %s\n", e.what());
  ::_exit(3);
}
