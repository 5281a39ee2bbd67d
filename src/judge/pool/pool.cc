#include "judge/pool/pool.h"

#include "judge/pool/worker_messages.h"

namespace akgen::judge {
using base::Json;
using base::Result;

namespace {
constexpr const char* kProgram = "akgen-judge";
constexpr int kLookMs = 50;  // how often a judgement that can be stopped looks whether it was

Judgement Unjudged(const std::string& dir, const task::TaskSpec& task, const Options& options,
                   std::string reason) {
  Judgement j;
  j.task = task.name, j.project = dir, j.category = task.category, j.level = task.level;
  j.chip = options.chip, j.backend = options.backend, j.seed = options.seed.value_or(0),
  j.precision = options.precision;
  j.reason = std::move(reason);
  j.repeatable = false;
  return j;
}

bool Stopped(const std::atomic<bool>* stop) { return stop && stop->load(); }

// Until it answers or dies, or the caller stops waiting.
Result<base::Message> Await(base::Channel& channel, const std::atomic<bool>* stop) {
  for (;;) {
    auto reply = channel.Receive(stop ? kLookMs : -1);
    if (reply.ok() || reply.error().code != "AK0011" || Stopped(stop)) return reply;
  }
}
}  // namespace

Result<Worker> Worker::Start() {
  auto process = base::HelperProcess::Start(kProgram);
  if (!process.ok()) return process.error();
  return Worker(std::move(*process));
}

// No time limit: every step of a judgement has one of its own.
Result<Json> Worker::Ask(const Json& request, const std::atomic<bool>* stop) {
  if (!process_.alive()) {
    auto process = base::HelperProcess::Start(kProgram);
    if (!process.ok()) return process.error();
    process_ = std::move(*process);
  }
  base::Error failed;
  if (auto sent = process_.channel().Send(request); !sent.ok()) {
    failed = sent.error();
  } else {
    auto reply = Await(process_.channel(), stop);
    if (reply.ok()) return std::move(reply->body);
    failed = reply.error();
  }
  process_.Stop();
  deaths_ += !Stopped(stop);
  return failed;
}

Result<Json> Worker::AskTwice(const Json& request, const std::atomic<bool>* stop) {
  auto reply = Ask(request, stop);
  if (!reply.ok() && !Stopped(stop)) reply = Ask(request, stop);
  return reply;
}

Judgement Worker::Run(const std::string& dir, const task::TaskSpec& task, const Options& options,
                      const std::atomic<bool>* stop) {
  auto reply = AskTwice(ToMessage(WorkerRequest{dir, task, options, false, {}, {}}), stop);
  if (Stopped(stop)) return Unjudged(dir, task, options, "the judgement was stopped");
  if (!reply.ok())
    return Unjudged(dir, task, options,
                    "the process that judged it died, twice: " + reply.error().message);
  auto judgement = JudgementFromMessage(*reply);
  if (!judgement.ok()) return Unjudged(dir, task, options, judgement.error().ToString());
  return std::move(*judgement);
}

Result<Json> Worker::RunKernel(const std::string& file, const std::string& launch,
                               const Options& options, const std::atomic<bool>* stop) {
  auto reply = AskTwice(ToMessage(WorkerRequest{file, {}, options, false, launch, {}}), stop);
  if (!reply.ok()) return reply;
  if (!reply->is_object())
    return base::Error{"AK0401", reply->is_string() ? reply->get<std::string>() : "malformed", "",
                       ""};
  return reply;
}

Result<Json> Worker::Examine(const std::string& path, const ExamineOptions& options,
                             const std::atomic<bool>* stop) {
  auto reply = AskTwice(ToMessage(WorkerRequest{path, {}, {}, false, {}, options}), stop);
  if (!reply.ok() || reply->is_object()) return reply;
  return base::Error{"AK0516", reply->is_string() ? reply->get<std::string>() : "malformed", path,
                     ""};
}

std::string Worker::HostKey(const std::string& dir, const task::TaskSpec& task,
                            const Options& options) {
  auto reply = Ask(ToMessage(WorkerRequest{dir, task, options, true, {}, {}}));
  return reply.ok() && reply->is_string() ? reply->get<std::string>() : "";
}

Result<Pool::Lease> Pool::Take() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return out_ < most_; });
  ++out_;
  if (!idle_.empty()) {
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return Lease(this, std::move(worker));
  }
  auto started = Worker::Start();
  if (started.ok()) return Lease(this, std::make_unique<Worker>(std::move(*started)));
  --out_;
  freed_.notify_one();
  return started.error();
}

void Pool::Return(std::unique_ptr<Worker> worker) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
  --out_;
  freed_.notify_one();
}

}  // namespace akgen::judge
