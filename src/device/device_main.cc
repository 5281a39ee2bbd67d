// akgen-device: does one job on a device and ends. Without an argument the job comes, with its memory, on descriptor
// 3; with one it is a file, which is how a profiler starts it.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "base/channel.h"
#include "base/files.h"
#include "base/process.h"
#include "device/work.h"

namespace {
using namespace akgen;

int FromFile(const char* file) {
  auto text = base::ReadFile(file);
  auto job = text.ok() ? device::JobFromJson(base::Parse(*text)) : text.error();
  if (!job.ok()) return std::fprintf(stderr, "error: %s\n", job.error().ToString().c_str()), 2;
  const base::Fd inputs(::open(job->inputs.c_str(), O_RDONLY | O_CLOEXEC));
  const base::Fd outputs(::open(job->outputs.c_str(), O_RDONLY | O_CLOEXEC));
  const device::JobReply reply = device::Work(*job, inputs.get(), outputs.get());
  if (reply.end == device::JobEnd::kOk) return 0;
  return std::fprintf(stderr, "error: %s\n", reply.detail.c_str()), 1;
}

int FromChannel() {
  base::EndWithParent();
  base::Channel channel = base::ParentChannel();
  auto message = channel.Receive();
  if (!message.ok()) return 1;
  auto job = device::JobFromJson(message->body);
  device::JobReply reply;
  if (!job.ok()) reply.detail = job.error().ToString();
  else
    reply = device::Work(*job, message->fds.size() > 0 ? message->fds[0].get() : -1,
                         message->fds.size() > 1 ? message->fds[1].get() : -1);
  return channel.Send(device::ToJson(reply)).ok() ? 0 : 1;
}
}  // namespace

int main(int argc, char** argv) try {
  ::_exit(argc > 1 ? FromFile(argv[1]) : FromChannel());
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: an error of akgen-device itself: %s\n", e.what());
  ::_exit(3);
}
