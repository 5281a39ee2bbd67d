// akgen-device: does one job on a device and ends. Without an argument the job comes, with its
// memory, on descriptor 3; with one it is a file, which is how a profiler starts it. With
// --confined it becomes another program (device/confine.h).
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "base/channel.h"
#include "base/files.h"
#include "base/process.h"
#include "device/confine.h"
#include "device/work.h"

namespace {
using namespace akgen;

int Complain(const base::Error& e) {
  return std::fprintf(stderr, "error: %s\n", e.ToString().c_str()), 2;
}

int FromFile(const char* file) {
  base::EndWithAkgen();  // who started this process may live on
  auto text = base::ReadFile(file);
  auto job = text.ok() ? device::JobFromJson(base::Parse(*text)) : text.error();
  if (!job.ok()) return Complain(job.error());
  const base::Fd inputs(::open(job->inputs.c_str(), O_RDONLY | O_CLOEXEC));
  const base::Fd outputs(::open(job->outputs.c_str(), O_RDONLY | O_CLOEXEC));
  const device::JobReply reply = device::Work(*job, inputs.get(), outputs.get());
  if (reply.end == device::JobEnd::kOk) return 0;
  return std::fprintf(stderr, "error: %s\n", reply.detail.c_str()), 1;
}

int Become(const std::vector<std::string>& arguments) {
  std::vector<std::string> command;
  auto confinement = device::ConfinementFrom(arguments, &command);
  if (!confinement.ok()) return Complain(confinement.error());
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (auto confined = device::Enter(*confinement); !confined.ok())
    return Complain(confined.error());
  std::vector<char*> raw;
  for (std::string& word : command) raw.push_back(word.data());
  raw.push_back(nullptr);
  ::execv(raw[0], raw.data());
  return std::fprintf(stderr, "error: %s cannot be started: %s\n", raw[0], std::strerror(errno)),
         127;
}

int FromChannel() {
  base::Channel channel = base::ParentChannel();
  auto message = channel.Receive();
  if (!message.ok()) return 1;
  auto job = device::JobFromJson(message->body);
  device::JobReply reply;
  const auto fd = [&](size_t i) { return message->fds.size() > i ? message->fds[i].get() : -1; };
  base::Status confined;
  if (const char* folder = std::getenv(device::kConfineTo); job.ok() && folder)
    confined = device::Enter({folder, {job->runtime}});
  base::EndWithParent();
  if (!job.ok() || !confined.ok())
    reply.detail = (job.ok() ? confined.error() : job.error()).ToString();
  else
    reply = device::Work(*job, fd(device::kInputsFd), fd(device::kOutputsFd));
  return channel.Send(device::ToJson(reply)).ok() ? 0 : 1;
}
}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  ::_exit(arguments.empty()       ? FromChannel()
          : arguments.size() == 1 ? FromFile(argv[1])
                                  : Become(arguments));
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: an error of akgen-device itself: %s\n", e.what());
  ::_exit(3);
}
