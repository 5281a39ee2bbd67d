#include "runner/process/server.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "guest/image.h"
#include "runner/process/host_memory.h"
#include "runner/process/runner_reply.h"
#include "runner/process/work.h"
#include "sandbox/child.h"
#include "sim/machine/mapping.h"

namespace akgen::runner {
namespace {
using base::Json;
using sandbox::ChildOutcome;
using End = ChildOutcome::End;

constexpr int kMaxWallMs = 3600000;
constexpr uint64_t kDefaultMemory = 4ull << 30, kHostMemory = 1ull << 30;
constexpr size_t kConsoleShown = 16384;
constexpr size_t kMaxHostReply = 4u << 20;  // of each operator definition, and of each tiling
constexpr uint64_t kMaxHostFile = 16u << 20, kMaxScriptFile = 1u << 30;

ProcessUse UseOf(const ChildOutcome& done) {
  return {done.wall_ms, done.cpu_ms, int64_t(done.max_rss_kib)};
}

uint64_t SizeOfFd(int fd) {
  struct stat st{};
  return fd >= 0 && ::fstat(fd, &st) == 0 ? uint64_t(st.st_size) : 0;
}

// The same memory without the right to write: a mapping of it cannot be made writable later.
base::Fd ReadOnly(int fd) {
  return base::Fd(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY | O_CLOEXEC));
}

// As much of the object as tells what it is.
std::string HeadOf(int fd) {
  std::string bytes(4096, '\0');
  const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(n > 0 ? size_t(n) : 0);
  return bytes;
}

struct Limits {
  int wall_ms = RunnerLimits::kDefaultWallMs;
  int asked_ms = RunnerLimits::kDefaultWallMs;  // of processor time, for a guest
  uint64_t cpu_s = 0, memory = 0;               // addresses
  uint64_t resident = 0;                        // memory touched
};

bool AsksHost(const RunnerRequest& r) {
  return r.command == Command::kDescribe || r.command == Command::kTile;
}

// A guest's time is what it does (process/guest_kernel.h); the clock ends what takes longer than
// that says, and says `timeout` if the machine gave it its share of the time.
Limits LimitsFor(const RunnerRequest& request, uint64_t gm_bytes, bool guest) {
  Limits l;
  l.asked_ms = l.wall_ms = std::clamp(request.limits.wall_ms, 1, kMaxWallMs);
  if (guest) {
    l.wall_ms = std::max(int(l.asked_ms * kGuestPatience), kGuestLeastMs);
    if (request.limits.clock_ms) l.wall_ms = std::clamp(*request.limits.clock_ms, 1, l.wall_ms);
    l.asked_ms = std::clamp(int(l.wall_ms / kGuestPatience), 1, l.asked_ms);
  }
  l.cpu_s = request.limits.cpu_s.value_or(uint64_t(l.asked_ms) * (guest ? 2 : 1) / 1000 + 1);
  // The kernel's tensors and their shadows come on top of what it may allocate; a workspace costs
  // addresses, and memory only where it is touched.
  l.resident = request.limits.memory.value_or(AsksHost(request) ? kHostMemory : kDefaultMemory) +
               2 * gm_bytes;
  l.memory = l.resident;
  if (AsksHost(request)) l.memory += kHostLayoutBytes;
  for (const sim::RunRequest& r : request.runs) {
    l.memory += 2 * r.workspace_bytes;
    // Of tensors that some blocks alone touch, likewise: each run maps its own.
    for (const sim::RunRegion& region : r.regions)
      if (!r.only.empty()) l.memory += 3 * region.bytes;
  }
  return l;
}

sandbox::Profile ProfileFor(const RunnerRequest& request, const Limits& l, int object) {
  sandbox::Profile p;
  p.readable_fds = {object};
  p.memory_bytes = l.memory;
  p.cpu_seconds = l.cpu_s;
  p.drop_user = true;
  const bool script = request.command == Command::kScript;
  if (request.command != Command::kProgram && !script) {
    p.syscalls = sandbox::Syscalls::kLoad;
    p.file_bytes = kMaxHostFile;  // of what host code prints; it has no other file
    return p;
  }
  p.syscalls = sandbox::Syscalls::kNoEscape;
  p.file_bytes = 4ull << 30;
  for (const char* path :
       {"/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/dev/zero"})
    p.readable.push_back(path);
  for (const std::string& r : request.readable) p.readable.push_back(r);
  if (script) p.allow_exec = true, p.file_bytes = kMaxScriptFile;
  p.own_folder = request.dir;
  if (p.own_folder.empty()) return p;
  p.writable.push_back(p.own_folder);
  p.readable.push_back(p.own_folder);
  return p;
}

// What an end without an answer means.
RunnerReply Explain(const ChildOutcome& done, const Limits& l) {
  auto said = [&](const char* text) { return done.console.find(text) != std::string::npos; };
  if (done.end == End::kTimedOut)
    return Problem("timeout", "stopped after " + std::to_string(l.wall_ms) + " ms");
  if (done.end == End::kPeerGone) return Problem("error", "the client went away");
  if (done.end == End::kFlooded) return Problem("killed", "it wrote an endless answer");
  if (done.end == End::kTooLarge)
    return Problem("memory",
                   "it used more than its " + std::to_string(l.resident >> 20) + " MiB of memory");
  if (done.end == End::kExited)
    return Problem("killed",
                   "it ended its own process with exit code " + std::to_string(done.exit_code));
  switch (done.signal) {
    case SIGXCPU:
    case SIGKILL:
      return Problem("timeout",
                     "stopped after " + std::to_string(l.cpu_s) + " s of processor time");
    case SIGSYS: return Problem("killed", "it made a system call that the sandbox forbids");
    case SIGXFSZ: return Problem("killed", "it wrote a file larger than allowed");
    case SIGABRT:
      if (said("bad_alloc") || said("out of memory"))
        return Problem("memory", "it asked for more than its " + std::to_string(l.memory >> 20) +
                                     " MiB of memory");
      return Problem("crash", "it aborted: " + done.console.substr(0, 500));
    default:
      return Problem("crash", std::string("it died of signal ") + std::to_string(done.signal) +
                                  " (" + ::strsignal(done.signal) + ")");
  }
}

// What a text says, if it is an answer at all.
std::optional<RunnerReply> ReplyIn(const Json& answer) {
  auto reply = base::Checked("the process that ran the candidate",
                             [&] { return base::Result(RunnerReplyFromJson(answer)); });
  return reply.ok() ? std::optional(std::move(*reply)) : std::nullopt;
}

// Whatever else an answer to one of several requests holds.
struct OneStatus {
  std::string status;
  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Needed("status", m.status);
  }
};

bool SaysError(const RunnerReply& reply) {
  if (reply.status == "error") return true;
  if (!reply.answers) return false;
  return std::any_of(reply.answers->begin(), reply.answers->end(), [](const Json& one) {
    const auto read = base::Checked(
        "an answer", [&] { return base::Result(base::MessageFromJson<OneStatus>(one)); });
    return read.ok() && read->status == "error";
  });
}

// A child that runs a guest executes nothing but our own code: however it ends without an answer,
// that is not the guest's doing, but for the time of the processor, the memory and the text that it
// asked for.
RunnerReply ExplainGuest(const ChildOutcome& done, const Limits& l) {
  RunnerReply why = Explain(done, l);
  if (done.end == End::kTimedOut) {
    if (done.cpu_ms >= l.asked_ms)
      return Problem("timeout",
                     "stopped after " + std::to_string(l.asked_ms) + " ms of processor time");
    return Problem("error", "the chip did not come to an end within " + std::to_string(l.wall_ms) +
                                " ms, and this machine gave it less than the " +
                                std::to_string(l.asked_ms) +
                                " ms of processor time that it may take");
  }
  if (why.status == "memory" || why.status == "timeout" || done.end == End::kFlooded) return why;
  return Problem("error", "the process that holds the chip has died: " + why.detail);
}

// An interpreter answers by how it ends.
RunnerReply AnswerOfScript(const ChildOutcome& done, const Limits& l) {
  RunnerReply reply;
  if (done.end == End::kExited)
    reply.status = "ok", reply.exit_code = done.exit_code;
  else
    reply = Explain(done, l);
  reply.console = done.console.substr(0, kConsoleShown);
  reply.process = UseOf(done);
  return reply;
}

RunnerReply AnswerOf(const ChildOutcome& done, const Limits& l, bool program, bool guest) {
  std::optional<RunnerReply> said = ReplyIn(base::Parse(done.reply));
  // An answer counts only from a child that came to its end.
  const bool counts = said && done.end == End::kExited;
  RunnerReply reply = counts ? std::move(*said) : guest ? ExplainGuest(done, l) : Explain(done, l);
  if (!counts && !guest && done.reply.find(kAgain) != std::string::npos)
    reply.detail +=
        ", when it was called again, with other addresses and other contents of memory that "
        "nothing has written";
  if (counts && done.reply.starts_with(kLoading) && SaysError(reply))
    reply = Problem("killed", "it answered in the judge's place");
  if (program || !done.console.empty())
    reply.console = done.console.substr(0, program ? std::string::npos : kConsoleShown);
  reply.process = UseOf(done);
  return reply;
}
}  // namespace

Server::Server(int channel_fd) : channel_fd_(channel_fd) { sandbox::Report(); }

RunnerReply Server::Answer(const base::Message& message) {
  auto parsed = RunnerRequestFromJson(message.body);
  if (!parsed.ok()) return Problem("error", parsed.error().ToString());
  Job job;
  job.request = std::move(*parsed);
  const RunnerRequest& request = job.request;
  if (request.command == Command::kStatus) {
    RunnerReply reply;
    reply.status = "ok", reply.sandbox = sandbox::Report();
    return reply;
  }
  job.object = base::Fd(::open(request.so.c_str(), O_RDONLY | O_CLOEXEC));
  if (!job.object.valid())
    return Problem("error", "cannot open " + request.so + ": " + std::strerror(errno));
  base::Fd inputs;
  uint64_t gm_bytes = 0;
  if (!message.fds.empty()) {
    inputs = ReadOnly(message.fds[0].get());
    gm_bytes += SizeOfFd(message.fds[0].get());
  }
  job.inputs = inputs.get();
  if (message.fds.size() > 1) {
    job.outputs = message.fds[1].get();
    gm_bytes += SizeOfFd(job.outputs);
  }
  const bool guest = request.command == Command::kRun && guest::IsImage(HeadOf(job.object.get()));
  const Limits limits = LimitsFor(request, gm_bytes, guest);
  job.profile = ProfileFor(request, limits, job.object.get());
  auto body = [&](int reply) {
    if (request.command == Command::kProgram) return RunProgram(job, reply);
    if (request.command == Command::kScript) return RunScript(job);
    const RunnerReply answer =
        request.command == Command::kRun ? RunEntry(job, reply) : DescribeOrTile(job, reply);
    return sandbox::WriteAll(reply, base::Dump(ToJson(answer))) ? 0 : 1;
  };
  sandbox::ChildLimits child;
  child.wall_ms = limits.wall_ms;
  child.watch_fd = channel_fd_;
  if (AsksHost(request)) child.reply_bytes = kMaxHostReply * (1 + request.host.size());
#ifndef AKGEN_SANITIZED  // the sanitizers' shadow is touched with it
  child.resident_bytes = limits.resident;
#endif
  for (int fd : {job.object.get(), job.inputs, job.outputs, sim::UnwrittenFile()})
    if (fd >= 0) child.keep_fds.push_back(fd);
  auto done = sandbox::RunChild(body, child);
  if (!done.ok()) return Problem("error", done.error().ToString());
  if (request.command == Command::kScript) return AnswerOfScript(*done, limits);
  return AnswerOf(*done, limits, request.command == Command::kProgram, guest);
}

}  // namespace akgen::runner
