#include "generate/local_model.h"

#include <algorithm>
#include <chrono>

#include "base/math_libraries.h"
#include "record/completion.h"

namespace akgen::generate {
using base::Error;
using base::Json;
using base::Result;
using record::CompletionReply;

namespace {
constexpr size_t kMaxTogether = 32;
constexpr int kPollMs = 200;

// Until the process answers, `stop` is set or the time is over.
Result<CompletionReply> Receive(base::Channel& channel, double timeout_s,
                                const std::atomic<bool>* stop) {
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
  while (std::chrono::steady_clock::now() < end) {
    if (stop && stop->load()) return Error{"AK0709", "stopped", "", ""};
    auto m = channel.Receive(kPollMs);
    if (m.ok())
      return base::Checked("akgen-lm", [&]() -> Result<CompletionReply> {
        return record::CompletionReplyFromJson(m->body);
      });
    if (m.error().code != "AK0011")
      return Error{
          "AK0701", "akgen-lm has ended", "",
          "a smaller model, or fewer samples at a time (--concurrency), if memory ran out"};
  }
  return Error{"AK0701", "akgen-lm did not answer in time", "",
               "allow more with --request-timeout, or ask for fewer tokens with --max-tokens"};
}
}  // namespace

Result<std::unique_ptr<Model>> LocalModel::Load(const ModelSettings& s,
                                                const std::atomic<bool>* stop) {
  auto process = base::HelperProcess::Start("akgen-lm", base::MathLibrarySettings());
  if (!process.ok()) return process.error();
  if (auto sent = process->channel().Send(record::ToJson(record::LoadModelRequest{s.url}));
      !sent.ok())
    return sent.error();
  auto loaded = Receive(process->channel(), s.timeout_s, stop);
  if (!loaded.ok()) return loaded.error();
  if (loaded->error) return *loaded->error;
  return std::unique_ptr<Model>(new LocalModel(s, std::move(*process), stop));
}

LocalModel::LocalModel(const ModelSettings& s, base::HelperProcess process,
                       const std::atomic<bool>* stop)
    : settings_(s),
      process_(std::move(process)),
      stop_(stop),
      transcript_(s.transcript),
      worker_([this] { Work(); }) {}

LocalModel::~LocalModel() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

Result<std::vector<Answer>> LocalModel::Ask(const Request& request) {
  Waiting mine{&request};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&mine);
  changed_.notify_all();
  changed_.wait(lock, [&] { return mine.done; });
  return mine.answers;
}

// Takes the first that waits, and those with it that ask the same.
void LocalModel::Work() {
  for (;;) {
    std::vector<Waiting*> together;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return end_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Request& asked = *waiting_.front()->request;
      const Json first = ToJson(asked.messages);
      for (auto it = waiting_.begin(); it != waiting_.end() && together.size() < kMaxTogether;) {
        const Request& r = *(*it)->request;
        bool same = r.n == 1 && r.temperature_scale == asked.temperature_scale &&
                    r.sampling == asked.sampling && r.prompt == asked.prompt &&
                    ToJson(r.messages) == first;
        if (!same && !together.empty()) {
          ++it;
          continue;
        }
        together.push_back(*it);
        it = waiting_.erase(it);
        if (!same) break;
      }
    }
    AnswerAll(together);
    {
      std::lock_guard lock(mutex_);
      for (Waiting* w : together) w->done = true;
    }
    changed_.notify_all();
  }
}

void LocalModel::AnswerAll(const std::vector<Waiting*>& together) {
  record::CompletionRequest body;
  bool any = false;  // has a prefix
  for (const Waiting* w : together)
    for (int i = 0; i < w->request->n; ++i) {
      body.seeds.push_back(w->request->seed + static_cast<uint64_t>(i));
      body.prefixes.push_back({w->request->prefix, w->request->prefix_bytes});
      any |= w->request->prefix_bytes > 0;
    }
  const Request& asked = *together[0]->request;
  const Sampling s = asked.sampling.value_or(Sampling{
      settings_.temperature, settings_.top_p, settings_.max_tokens, settings_.grammar, {}});
  if (!any) body.prefixes.clear();
  body.temperature = s.temperature * asked.temperature_scale, body.top_p = s.top_p;
  if (asked.prompt.empty())
    body.messages = ToJson(asked.messages);
  else
    body.prompt = asked.prompt;
  body.max_tokens = s.max_tokens, body.grammar = s.grammar, body.stop = s.stop;
  auto start = std::chrono::steady_clock::now();
  auto fail = [&](const Error& e) {
    for (Waiting* w : together) w->answers = e;
  };
  if (Stopped()) return fail({"AK0709", "stopped", "", ""});
  if (auto sent = process_.channel().Send(record::ToJson(body)); !sent.ok())
    return fail({"AK0701", "akgen-lm has ended", settings_.url, ""});
  auto got = Receive(process_.channel(), settings_.timeout_s, stop_);
  if (!got.ok()) return fail(got.error());
  if (got->error && got->error->code == "AK1932" &&
      together.size() > 1) {  // the prefix of one of them is not of the grammar
    for (Waiting* w : together) AnswerAll({w});
    return;
  }
  if (got->error) return fail(*got->error);
  double ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::vector<record::CompletionChoice>& choices = got->choices;
  size_t at = 0;
  for (Waiting* w : together) {
    std::vector<Answer> answers;
    for (int i = 0; i < w->request->n && at < choices.size(); ++i, ++at) {
      Answer a;
      a.text = std::move(choices[at].text);
      SplitReasoning(a.text, a.reasoning);
      a.finish = choices[at].finish;
      a.prompt_tokens = i == 0 ? got->prompt_tokens : 0;
      a.completion_tokens = choices[at].tokens;
      a.attempts = 1;
      a.ms = ms;
      answers.push_back(a);
    }
    if (answers.empty())
      w->answers = Error{"AK0703", "akgen-lm gave fewer answers than asked for", settings_.url, ""};
    else {
      transcript_.Add(*w->request, answers, {});
      w->answers = std::move(answers);
    }
  }
}

}  // namespace akgen::generate
