#include "generate/loop.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "base/seed.h"
#include "base/version.h"
#include "generate/conversation.h"
#include "generate/judge_pool.h"
#include "generate/resample.h"
#include "record/modelled.h"
#include "record/verdict.h"

namespace akgen::generate {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;

namespace {
constexpr uint64_t kHiddenPurpose = 1, kFeedbackPurpose = 2;  // of seeds beside that of a run
constexpr size_t kMaxEchoed = 60000;  // characters of an answer that go back to its model

double Ms(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Item {
  const Work* work;
  int sample;
};

// What a sample has spent in this process.
struct Clocked {
  Clock::time_point start = Clock::now();
  double model_ms = 0, judge_ms = 0;
  double Own() const { return Ms(start) - model_ms - judge_ms; }
};

using record::BestOf;

class Loop {
 public:
  Loop(const std::vector<Work>& work, const LoopOptions& options, const craft::Target& target,
       Model* model, Journal& journal)
      : work_(work),
        o_(options),
        target_(target),
        model_(model),
        journal_(journal),
        pool_(std::max(1, options.jobs)) {}
  Result<LoopSummary> Run();

 private:
  bool Stopped() const { return (o_.stop && o_.stop->load()) || halted_; }
  void Worker();
  Status Sample(const Item& item);
  Made MadeOf(const Answer& answer, const task::TaskSpec& task) const;
  // Nothing: the sample cannot go on now.
  Result<std::optional<record::Turn>> Turn(const Item& item, int turn,
                                           const std::vector<Message>& messages, Clocked& clock);
  Result<std::vector<Message>> First(const Item& item);
  Status Unaskable(const Item& item, const Error& why);
  Result<std::optional<record::Turn>> PlanTurn(const Item& item, Clocked& clock);
  Status JudgeInto(const Item& item, const Made& made, record::Turn& turn, Clocked& clock);
  Status Finish(const Item& item, const std::vector<record::Turn>& turns, const Clocked& clock);
  Status WriteProject(const Item& item, const Json& files) const;
  Status Trouble(const Item& item, int turn, const Error& e);
  bool Ended(const std::vector<record::Turn>& turns) const;
  void Show(const Item& item, const std::string& what, size_t more);
  void Sum(LoopSummary& s) const;

  const std::vector<Work>& work_;
  const LoopOptions& o_;
  const craft::Target target_;
  Model* model_;
  Journal& journal_;
  JudgePool pool_;
  std::mutex mutex_;
  std::deque<Item> items_;
  std::map<std::string, std::vector<Message>> operations_;  // prompts, by task
  std::atomic<bool> halted_{false};
  std::optional<Error> failed_;
  LoopSummary summary_;
  size_t done_ = 0;
};

// A verdict that says nothing about the answer cannot be repaired by its author.
bool Repairable(const std::string& outcome) {
  return outcome != "pass" && record::Rank(outcome) >= 0;
}

bool Loop::Ended(const std::vector<record::Turn>& turns) const {
  if (turns.empty()) return false;
  auto pass =
      std::find_if(turns.begin(), turns.end(), [](const record::Turn& t) { return t.Passes(); });
  if (o_.way == Way::kPlan) return true;
  if (pass == turns.end())
    return int(turns.size()) > o_.repair || !Repairable(turns.back().verdict);
  return turns.end() - pass > o_.improve || (o_.improve > 0 && turns[BestOf(turns)].advice.empty());
}

void Loop::Show(const Item& item, const std::string& what, size_t more) {
  std::lock_guard lock(mutex_);
  done_ += more;
  if (o_.progress)
    o_.progress({done_, summary_.samples, summary_.before,
                 item.work->task.name + " sample " + std::to_string(item.sample) + " " + what});
}

// Endpoints that fail cost their sample only; a spent budget ends the run.
Status Loop::Trouble(const Item& item, int turn, const Error& e) {
  if (e.code == "AK0709") return {};
  if (e.code == "AK0704") halted_ = true;
  {
    std::lock_guard lock(mutex_);
    bool known =
        std::any_of(summary_.troubles.begin(), summary_.troubles.end(),
                    [&](const Error& t) { return t.code == e.code && t.message == e.message; });
    if (!known && summary_.troubles.size() < 10) summary_.troubles.push_back(e);
  }
  return journal_.Add(
      ToJson(record::TroubleLine{item.work->task.name, e.code, e.message, item.sample, turn}));
}

Status Loop::JudgeInto(const Item& item, const Made& made, record::Turn& turn, Clocked& clock) {
  auto start = Clock::now();
  turn.files = Json(made.files);
  turn.sealed = true;  // what is refused before anything runs is decided here
  if (made.files.empty()) {
    turn.verdict = made.outcome, turn.reason = made.reason, turn.feedback = made.feedback;
    return {};
  }
  judge::Options options = o_.judging;
  options.rows = item.work->cases;
  options.kernel_only = o_.kernel_only;
  const uint64_t seed = options.seed.value_or(0);
  auto tried = pool_.Run(made.files, item.work->task, options,
                         {o_.hidden, base::DerivedSeed(seed, kHiddenPurpose),
                          base::DerivedSeed(seed, kFeedbackPurpose)});
  clock.judge_ms += Ms(start);
  if (!tried.ok()) return tried.error();
  const judge::Judgement& judged = tried->shown;
  turn.verdict = record::NameOf(tried->verdict());
  turn.backend = judged.backend, turn.sealed = tried->sealed();
  turn.reason = tried->reason();
  turn.feedback = Feedback(*tried, item.work->cases);
  if (o_.improve > 0 && tried->verdict() == record::Verdict::kPass)
    turn.advice = Advice(judged, o_.chip);
  const record::Judgement whole = judge::RecordOf(judged);
  double us = 0;
  bool timed = true;  // all of them
  for (const record::CaseRecord& c : whole.cases) {
    const record::Modelled one = record::ModelledOf(c.modelled);
    turn.cases.push_back({c.id, std::string(c.VerdictName()), c.reason, one});
    us += one.us, timed &= one.known() || !c.verdict;
    for (const record::Finding& f : c.findings)
      if (std::find(turn.codes.begin(), turn.codes.end(), f.code) == turn.codes.end())
        turn.codes.push_back(f.code);
  }
  if (timed && us > 0) turn.modelled_us = us;
  turn.provenance = judged.provenance;
  turn.judge_ms = Ms(start);
  return {};
}

Made Loop::MadeOf(const Answer& a, const task::TaskSpec& task) const {
  if (a.finish != "too_long")
    return o_.form == PromptForm::kOperations
               ? MakeFromProgram(a.text, task, target_)
               : MakeFrom(o_.way, a.text, task, target_, o_.kernel_only);
  Made cut;
  cut.outcome = "too_long", cut.reason = "the answer is too long and was cut",
  cut.feedback = "The answer was too long and was cut. Answer with the code only.\n";
  return cut;
}

Result<std::optional<record::Turn>> Loop::Turn(const Item& item, int turn,
                                               const std::vector<Message>& messages,
                                               Clocked& clock) {
  const std::string& name = item.work->task.name;
  auto start = Clock::now();
  // Two improvements may be asked for in the same words: another seed makes another answer.
  uint64_t seed = o_.seed + uint64_t(item.sample) + (o_.improve > 0 ? 1000 * uint64_t(turn) : 0);
  Request request{messages,
                  1,
                  seed,
                  {{"task", name},
                   {"sample", item.sample},
                   {"turn", turn},
                   {"generator", o_.way == Way::kCraft ? "craft" : "direct"}}};
  if (turn == 0) request.first_answer = item.sample;
  auto resampled = Resample(
      *model_, request, [&](const Answer& answer) { return MadeOf(answer, item.work->task); },
      o_.resample);
  clock.model_ms += Ms(start);
  if (!resampled.ok()) {
    if (Status s = Trouble(item, turn, resampled.error()); !s.ok()) return s.error();
    return std::optional<record::Turn>();
  }
  const Answer& a = resampled->answer;
  record::Turn out;
  out.task = name, out.sample = item.sample, out.turn = turn, out.answer = a.text,
  out.model_ms = Ms(start);
  record::TurnRequest& r = out.request.emplace();
  r.seed = request.seed, r.reasoning = a.reasoning, r.finish = a.finish;
  r.prompt_tokens = a.prompt_tokens, r.completion_tokens = a.completion_tokens;
  r.cached = a.cached, r.attempts = a.attempts, r.logprobs = a.logprobs;
  if (o_.resample > 0) r.resampled = resampled->attempts;
  if (Status s = JudgeInto(item, resampled->made, out, clock); !s.ok()) return s.error();
  return std::optional(std::move(out));
}

Result<std::optional<record::Turn>> Loop::PlanTurn(const Item& item, Clocked& clock) {
  auto start = Clock::now();
  auto made = pool_.Plan(item.work->task, target_);
  if (!made.ok()) return made.error();
  record::Turn out;
  out.task = item.work->task.name, out.sample = item.sample, out.plan_ms = Ms(start);
  clock.judge_ms += Ms(start);  // the planner waits for the reference process of a judge
  if (Status s = JudgeInto(item, *made, out, clock); !s.ok()) return s.error();
  return std::optional(std::move(out));
}

Status Loop::WriteProject(const Item& item, const Json& files) const {
  fs::path folder = o_.out / item.work->task.name,
           target = folder / ("sample" + std::to_string(item.sample)),
           draft = folder / (".sample" + std::to_string(item.sample));
  std::error_code ec;
  fs::remove_all(draft, ec);
  for (const auto& [path, text] : files.items()) {
    fs::create_directories((draft / path).parent_path(), ec);
    if (Status s = base::WriteFileAtomic(draft / path, text.get<std::string>()); !s.ok()) return s;
  }
  fs::remove_all(target, ec);
  fs::rename(draft, target, ec);
  if (ec) return Error{"AK0002", "cannot write: " + ec.message(), target.string(), ""};
  return {};
}

Status Loop::Finish(const Item& item, const std::vector<record::Turn>& turns,
                    const Clocked& clock) {
  size_t best = BestOf(turns);
  const record::Turn& b = turns[best];
  if (!b.files.empty())
    if (Status s = WriteProject(item, b.files); !s.ok()) return s;
  const record::SampleEnd end{item.work->task.name, b.verdict,        b.reason,
                              item.sample,          turns.size(),     best,
                              b.modelled_us,        !b.files.empty(), clock.Own()};
  Status s = journal_.Add(ToJson(end));
  if (s.ok()) Show(item, b.verdict, 1);
  return s;
}

// What is asked after the turns so far: repair the last one, or make the best one faster.
std::vector<Message> Next(const std::vector<Message>& first,
                          const std::vector<record::Turn>& turns) {
  const record::Turn& best = turns[BestOf(turns)];
  const record::Turn& from = best.Passes() ? best : turns.back();
  std::string answer = from.answer.value_or("").substr(0, kMaxEchoed);
  return best.Passes() ? ImprovePrompt(first, answer, from.advice)
                       : RepairPrompt(first, answer, from.feedback);
}

Result<std::vector<Message>> Loop::First(const Item& item) {
  const task::TaskSpec& task = item.work->task;
  if (o_.form == PromptForm::kConversation) return ConversationPrompt(task, item.work->cases);
  if (o_.form == PromptForm::kFull)
    return FirstPrompt(o_.way, task, item.work->cases, o_.chip, o_.kernel_only);
  {
    std::lock_guard lock(mutex_);
    if (auto it = operations_.find(task.name); it != operations_.end()) return it->second;
  }
  auto made = pool_.Operations(task);
  if (!made.ok()) return made.error();
  std::lock_guard lock(mutex_);
  return operations_[task.name] = *made;
}

// A reference that is not a static graph cannot be shown as operations: the sample ends without an
// answer.
Status Loop::Unaskable(const Item& item, const Error& why) {
  record::Turn turn;
  turn.task = item.work->task.name, turn.sample = item.sample, turn.answer = "";
  turn.sealed = true, turn.verdict = "no_code", turn.reason = why.message;
  if (Status s = journal_.Add(ToJson(turn)); !s.ok()) return s;
  return Finish(item, {turn}, Clocked());
}

Status Loop::Sample(const Item& item) {
  SampleState state = journal_.State(item.work->task.name, item.sample);
  Clocked clock;
  auto first = First(item);
  if (!first.ok() && (first.error().code == "AK0115")) return Unaskable(item, first.error());
  if (!first.ok()) return first.error();
  std::string hash = base::ContentHash(base::Dump(ToJson(*first)));
  if (!first->empty()) {
    std::lock_guard lock(mutex_);  // once per prompt
    if (!journal_.HasPrompt(hash))
      if (Status s = journal_.Add(ToJson(record::PromptLine{hash, item.work->task.name, *first}));
          !s.ok())
        return s;
  }
  while (!Ended(state.turns)) {
    if (Stopped()) return {};
    int turn = int(state.turns.size());
    std::vector<Message> messages = turn == 0 ? *first : Next(*first, state.turns);
    Show(item, "turn " + std::to_string(turn), 0);
    auto made = o_.way == Way::kPlan ? PlanTurn(item, clock) : Turn(item, turn, messages, clock);
    if (!made.ok()) return made.error();
    if (!*made) return {};
    record::Turn& one = **made;
    // Who stops the run may have stopped the helper processes and what they ran as well: that is no
    // verdict.
    if (Stopped() && (one.verdict == "infra_error" || one.verdict == "runtime_error")) return {};
    one.prompt = hash;
    if (Status s = journal_.Add(ToJson(one)); !s.ok()) return s;
    state.turns.push_back(std::move(one));
  }
  return Finish(item, state.turns, clock);
}

void Loop::Worker() {
  for (;;) {
    Item item{};
    {
      std::lock_guard lock(mutex_);
      if (items_.empty() || Stopped()) return;
      item = items_.front();
      items_.pop_front();
    }
    if (o_.first_pass && journal_.Passed(item.work->task.name)) {
      Show(item, "is not needed", 1);
      std::lock_guard lock(mutex_);
      ++summary_.skipped;
      continue;
    }
    Status s = base::Checked(item.work->task.name + " sample " + std::to_string(item.sample),
                             [&] { return Sample(item); });
    if (!s.ok() && s.error().code == "AK0014")
      s = Trouble(item, 0, s.error());  // costs this sample only
    if (!s.ok()) {
      std::lock_guard lock(mutex_);
      if (!failed_) failed_ = s.error();
      halted_ = true;
    }
  }
}

void Loop::Sum(LoopSummary& s) const {
  auto ended = journal_.Ended();
  s.totals = journal_.Totals();
  s.sealed = record::IsSealed(o_.judging.backend);
  for (const Work& w : work_) {
    auto& best = s.best[w.task.name];
    for (int k = 0; k < o_.samples; ++k) {
      auto it = ended.find({w.task.name, k});
      if (it == ended.end()) continue;
      const record::SampleEnd& one = it->second;
      ++s.verdicts[one.verdict];
      s.samples_passed += one.verdict == "pass";
      auto standing = [](const record::SampleEnd& e) {
        return record::StandingOf(e.verdict, e.verdict == "pass" ? e.modelled_us : 0);
      };
      if (!best || standing(one) > standing(*best)) best = one;
    }
    s.tasks_passed += best && best->verdict == "pass";
  }
}

Result<LoopSummary> Loop::Run() {
  for (const Work& w : work_)
    for (int k = 0; k < o_.samples; ++k) {
      ++summary_.samples;
      if (!journal_.State(w.task.name, k).ended)
        items_.push_back({&w, k});
      else
        ++summary_.before;
    }
  done_ = summary_.before;
  // Helper processes end with the thread that started them, and judges go from hand to hand: no
  // thread ends before the others have.
  const size_t count = std::min(size_t(std::max(1, o_.concurrency)), items_.size());
  std::latch all(static_cast<std::ptrdiff_t>(count));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back([&] {
      Worker();
      all.arrive_and_wait();
    });
  for (std::thread& t : threads) t.join();
  if (failed_) return *failed_;
  size_t ended = 0;
  for (const Work& w : work_)
    for (int k = 0; k < o_.samples; ++k) ended += journal_.State(w.task.name, k).ended.has_value();
  summary_.left = summary_.samples - ended - summary_.skipped;
  Sum(summary_);
  return summary_;
}
}  // namespace

Json ToJson(const LoopSummary& s) {
  Json best = Json::object(), out = ToJson(s.totals);
  for (const auto& [task, b] : s.best)
    best[task] = !b ? Json()
                    : Json{{"sample", b->sample},
                           {"turn", b->best_turn},
                           {"verdict", b->verdict},
                           {"reason", b->reason},
                           {"modelled_us", b->modelled_us}};
  out.update({{"schema", 1},
              {"version", base::kVersion},
              {"sealed", s.sealed},
              {"tasks", s.best.size()},
              {"tasks_passed", s.tasks_passed},
              {"samples", s.samples},
              {"samples_passed", s.samples_passed},
              {"before", s.before},
              {"left", s.left},
              {"skipped", s.skipped},
              {"verdicts", s.verdicts},
              {"best", best}});
  return out;
}

Result<LoopSummary> RunLoop(const std::vector<Work>& work, const LoopOptions& options, Model* model,
                            Journal& journal) {
  auto target = craft::TargetOf(options.chip);
  if (!target.ok()) return target.error();
  return Loop(work, options, *target, model, journal).Run();
}

}  // namespace akgen::generate
