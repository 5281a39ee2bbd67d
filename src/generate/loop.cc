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
#include <tuple>

#include "base/seed.h"
#include "base/version.h"
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
constexpr size_t kMostEchoed = 60000;                         // characters of an answer that go back to its model

double Ms(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

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

size_t BestOf(const std::vector<Json>& turns);

class Loop {
 public:
  Loop(const std::vector<Work>& work, const LoopOptions& options, const craft::Target& target, Model* model,
       Journal& journal)
      : work_(work), o_(options), target_(target), model_(model), journal_(journal), pool_(std::max(1, options.jobs)) {}
  Result<LoopSummary> Run();

 private:
  bool Stopped() const { return (o_.stop && o_.stop->load()) || halted_; }
  void Worker();
  Status Sample(const Item& item);
  Made MadeOf(const Answer& answer, const task::TaskSpec& task) const;
  // Null: the sample cannot go on now.
  Result<Json> Turn(const Item& item, int turn, const std::vector<Message>& messages, Clocked& clock);
  Result<std::vector<Message>> First(const Item& item);
  Status Unaskable(const Item& item, const Error& why);
  Result<Json> PlanTurn(const Item& item, Clocked& clock);
  Status JudgeInto(const Item& item, const Made& made, Json& line, Clocked& clock);
  Status Finish(const Item& item, const std::vector<Json>& turns, const Clocked& clock);
  Status WriteProject(const Item& item, const Json& files) const;
  Status Trouble(const Item& item, int turn, const Error& e);
  bool Ended(const std::vector<Json>& turns) const;
  void Show(const Item& item, const std::string& what, size_t more);
  Json Record(const LoopSummary& s) const;

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
bool Repairable(const std::string& outcome) { return outcome != "pass" && record::Rank(outcome) >= 0; }

bool Passes(const Json& turn) { return turn.value("verdict", "") == "pass"; }

bool Loop::Ended(const std::vector<Json>& turns) const {
  if (turns.empty()) return false;
  auto pass = std::find_if(turns.begin(), turns.end(), Passes);
  if (o_.way == Way::kPlan) return true;
  if (pass == turns.end()) return int(turns.size()) > o_.repair || !Repairable(turns.back().value("verdict", ""));
  return turns.end() - pass > o_.improve || (o_.improve > 0 && turns[BestOf(turns)].value("advice", "").empty());
}

// The highest verdict, then the most cases passed, then the least modelled time, then the first.
size_t BestOf(const std::vector<Json>& turns) {
  auto key = [](const Json& t) {
    Json cases = t.value("cases", Json::array());
    auto right =
        std::count_if(cases.begin(), cases.end(), [](const Json& c) { return c.value("verdict", "") == "pass"; });
    double us = t.value("modelled_us", 0.0);
    return std::make_tuple(record::Rank(t.value("verdict", "")), right, us > 0 ? 1 / us : 0);
  };
  size_t best = 0;
  for (size_t i = 1; i < turns.size(); ++i)
    if (key(turns[i]) > key(turns[best])) best = i;
  return best;
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
    bool known = std::any_of(summary_.troubles.begin(), summary_.troubles.end(),
                             [&](const Error& t) { return t.code == e.code && t.message == e.message; });
    if (!known && summary_.troubles.size() < 10) summary_.troubles.push_back(e);
  }
  return journal_.Add({{"kind", "trouble"},
                       {"task", item.work->task.name},
                       {"sample", item.sample},
                       {"turn", turn},
                       {"code", e.code},
                       {"message", e.message}});
}

Status Loop::JudgeInto(const Item& item, const Made& made, Json& line, Clocked& clock) {
  auto start = Clock::now();
  line["files"] = made.files;
  line["sealed"] = true;  // what is refused before anything runs is decided here
  if (made.files.empty()) {
    line["verdict"] = made.outcome, line["reason"] = made.reason, line["feedback"] = made.feedback;
    return {};
  }
  judge::Options options = o_.judging;
  options.rows = item.work->cases;
  options.kernel_only = o_.kernel_only;
  const uint64_t seed = options.seed.value_or(0);
  auto tried =
      pool_.Run(made.files, item.work->task, options,
                {o_.hidden, base::DerivedSeed(seed, kHiddenPurpose), base::DerivedSeed(seed, kFeedbackPurpose)});
  clock.judge_ms += Ms(start);
  if (!tried.ok()) return tried.error();
  const judge::Judgement& judged = tried->shown;
  line["verdict"] = record::NameOf(tried->verdict());
  line["backend"] = record::NameOf(judged.backend), line["sealed"] = tried->sealed();
  line["reason"] = tried->reason();
  line["feedback"] = Feedback(*tried, item.work->cases);
  if (o_.improve > 0 && tried->verdict() == record::Verdict::kPass) line["advice"] = Advice(judged, o_.chip);
  Json cases = Json::array(), codes = Json::array();
  const record::Judgement whole = judge::RecordOf(judged);
  double us = 0;
  bool timed = true;  // all of them
  for (const record::CaseRecord& c : whole.cases) {
    cases.push_back({{"id", c.id}, {"verdict", c.VerdictName()}, {"reason", c.reason}});
    const record::Modelled one = record::ModelledOf(c.modelled);
    if (one.known()) cases.back().update({{"modelled_us", one.us}, {"modelled_range_us", {one.low, one.high}}});
    us += one.us, timed &= one.known() || !c.verdict;
    for (const record::Finding& f : c.findings)
      if (std::find(codes.begin(), codes.end(), f.code) == codes.end()) codes.push_back(f.code);
  }
  line["cases"] = cases, line["codes"] = codes;
  if (timed && us > 0) line["modelled_us"] = us;
  line["provenance"] = record::ToJson(judged.provenance);
  line["judge_ms"] = Ms(start);
  return {};
}

Made Loop::MadeOf(const Answer& a, const task::TaskSpec& task) const {
  if (a.finish != "too_long")
    return o_.operations ? MakeFromProgram(a.text, task, target_)
                         : MakeFrom(o_.way, a.text, task, target_, o_.kernel_only);
  Made cut;
  cut.outcome = "too_long", cut.reason = "the answer is too long and was cut",
  cut.feedback = "The answer was too long and was cut. Answer with the code only.\n";
  return cut;
}

Result<Json> Loop::Turn(const Item& item, int turn, const std::vector<Message>& messages, Clocked& clock) {
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
  auto resampled =
      Resample(*model_, request, [&](const Answer& answer) { return MadeOf(answer, item.work->task); }, o_.resample);
  clock.model_ms += Ms(start);
  if (!resampled.ok()) {
    if (Status s = Trouble(item, turn, resampled.error()); !s.ok()) return s.error();
    return Json();
  }
  const Answer& a = resampled->answer;
  Json line{{"kind", "turn"},
            {"task", name},
            {"sample", item.sample},
            {"turn", turn},
            {"seed", request.seed},
            {"answer", a.text},
            {"reasoning", a.reasoning},
            {"finish", a.finish},
            {"prompt_tokens", a.prompt_tokens},
            {"completion_tokens", a.completion_tokens},
            {"cached", a.cached},
            {"attempts", a.attempts},
            {"model_ms", Ms(start)}};
  if (!a.logprobs.is_null()) line["logprobs"] = a.logprobs;
  if (o_.resample > 0) line["redraws"] = resampled->attempts;
  if (Status s = JudgeInto(item, resampled->made, line, clock); !s.ok()) return s.error();
  return line;
}

Result<Json> Loop::PlanTurn(const Item& item, Clocked& clock) {
  auto start = Clock::now();
  auto made = pool_.Plan(item.work->task, target_);
  if (!made.ok()) return made.error();
  Json line{{"kind", "turn"},  {"task", item.work->task.name}, {"sample", item.sample}, {"turn", 0},
            {"model_ms", 0.0}, {"plan_ms", Ms(start)}};
  clock.judge_ms += Ms(start);  // the planner waits for the reference process of a judge
  if (Status s = JudgeInto(item, *made, line, clock); !s.ok()) return s.error();
  return line;
}

Status Loop::WriteProject(const Item& item, const Json& files) const {
  fs::path folder = o_.out / item.work->task.name, target = folder / ("sample" + std::to_string(item.sample)),
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

Status Loop::Finish(const Item& item, const std::vector<Json>& turns, const Clocked& clock) {
  size_t best = BestOf(turns);
  const Json& b = turns[best];
  Json files = b.value("files", Json::object());
  if (!files.empty())
    if (Status s = WriteProject(item, files); !s.ok()) return s;
  std::string verdict = b.value("verdict", "");
  Status s = journal_.Add({{"kind", "sample"},
                           {"task", item.work->task.name},
                           {"sample", item.sample},
                           {"verdict", verdict},
                           {"reason", b.value("reason", "")},
                           {"turns", turns.size()},
                           {"best_turn", best},
                           {"modelled_us", b.value("modelled_us", 0.0)},
                           {"project", !files.empty()},
                           {"own_ms", clock.Own()}});
  if (s.ok()) Show(item, verdict, 1);
  return s;
}

// What is asked after the turns so far: repair the last one, or make the best one faster.
std::vector<Message> Next(const std::vector<Message>& first, const std::vector<Json>& turns) {
  const Json& best = turns[BestOf(turns)];
  const Json& from = Passes(best) ? best : turns.back();
  std::string answer = from.value("answer", "").substr(0, kMostEchoed);
  return Passes(best) ? ImprovePrompt(first, answer, from.value("advice", ""))
                      : RepairPrompt(first, answer, from.value("feedback", ""));
}

Result<std::vector<Message>> Loop::First(const Item& item) {
  const task::TaskSpec& task = item.work->task;
  if (!o_.operations) return FirstPrompt(o_.way, task, item.work->cases, o_.chip, o_.kernel_only);
  {
    std::lock_guard lock(mutex_);
    if (auto it = operations_.find(task.name); it != operations_.end()) return it->second;
  }
  auto made = pool_.Operations(task);
  if (!made.ok()) return made.error();
  std::lock_guard lock(mutex_);
  return operations_[task.name] = *made;
}

// A reference that is not a static graph cannot be shown as operations: the sample ends without an answer.
Status Loop::Unaskable(const Item& item, const Error& why) {
  Json line{{"kind", "turn"},        {"task", item.work->task.name},
            {"sample", item.sample}, {"turn", 0},
            {"answer", ""},          {"files", Json::object()},
            {"sealed", true},        {"verdict", "no_code"},
            {"reason", why.message}, {"feedback", ""},
            {"model_ms", 0.0}};
  if (Status s = journal_.Add(line); !s.ok()) return s;
  return Finish(item, {line}, Clocked());
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
      if (Status s = journal_.Add(
              {{"kind", "prompt"}, {"hash", hash}, {"task", item.work->task.name}, {"messages", ToJson(*first)}});
          !s.ok())
        return s;
  }
  while (!Ended(state.turns)) {
    if (Stopped()) return {};
    int turn = int(state.turns.size());
    std::vector<Message> messages = turn == 0 ? *first : Next(*first, state.turns);
    Show(item, "turn " + std::to_string(turn), 0);
    auto line = o_.way == Way::kPlan ? PlanTurn(item, clock) : Turn(item, turn, messages, clock);
    if (!line.ok()) return line.error();
    if (line->is_null()) return {};
    // Who stops the run may have stopped the helper processes and what they ran as well: that is no verdict.
    const std::string verdict = line->value("verdict", "");
    if (Stopped() && (verdict == "infra_error" || verdict == "runtime_error")) return {};
    (*line)["prompt"] = hash;
    if (Status s = journal_.Add(*line); !s.ok()) return s;
    state.turns.push_back(std::move(*line));
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
    Status s =
        base::Checked(item.work->task.name + " sample " + std::to_string(item.sample), [&] { return Sample(item); });
    if (!s.ok() && s.error().code == "AK0014") s = Trouble(item, 0, s.error());  // costs this sample only
    if (!s.ok()) {
      std::lock_guard lock(mutex_);
      if (!failed_) failed_ = s.error();
      halted_ = true;
    }
  }
}

Json Loop::Record(const LoopSummary& s) const {
  auto ended = journal_.Ended();
  Json out = journal_.Totals(), verdicts = Json::object(), best = Json::object();
  size_t passed = 0, tasks_passed = 0;
  for (const Work& w : work_) {
    Json top;
    for (int k = 0; k < o_.samples; ++k) {
      auto it = ended.find({w.task.name, k});
      if (it == ended.end()) continue;
      std::string verdict = it->second.value("verdict", "");
      verdicts[verdict] = verdicts.value(verdict, 0) + 1;
      passed += verdict == "pass";
      double us = it->second.value("modelled_us", 0.0);
      bool better = top.is_null() || record::Rank(verdict) > record::Rank(top["verdict"].get<std::string>()) ||
                    (verdict == "pass" && top["verdict"] == "pass" && us > 0 && us < top["modelled_us"]);
      if (better)
        top = {{"sample", k},
               {"turn", it->second.value("best_turn", 0)},
               {"verdict", verdict},
               {"reason", it->second.value("reason", "")},
               {"modelled_us", us}};
    }
    tasks_passed += !top.is_null() && top["verdict"] == "pass";
    best[w.task.name] = top;
  }
  out.update({{"schema", 1},
              {"version", base::kVersion},
              {"sealed", record::IsSealed(o_.judging.backend)},
              {"tasks", work_.size()},
              {"tasks_passed", tasks_passed},
              {"samples", s.samples},
              {"samples_passed", passed},
              {"before", s.before},
              {"left", s.left},
              {"skipped", s.skipped},
              {"verdicts", verdicts},
              {"best", best}});
  return out;
}

Result<LoopSummary> Loop::Run() {
  for (const Work& w : work_)
    for (int k = 0; k < o_.samples; ++k) {
      ++summary_.samples;
      if (journal_.State(w.task.name, k).ended.is_null()) items_.push_back({&w, k});
      else ++summary_.before;
    }
  done_ = summary_.before;
  // Helper processes end with the thread that started them, and judges go from hand to hand: no thread ends before the
  // others have.
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
    for (int k = 0; k < o_.samples; ++k) ended += !journal_.State(w.task.name, k).ended.is_null();
  summary_.left = summary_.samples - ended - summary_.skipped;
  summary_.record = Record(summary_);
  summary_.all_passed = summary_.record["tasks_passed"] == work_.size();
  return summary_;
}
}  // namespace

Result<LoopSummary> RunLoop(const std::vector<Work>& work, const LoopOptions& options, Model* model, Journal& journal) {
  auto target = craft::TargetOf(options.chip);
  if (!target.ok()) return target.error();
  return Loop(work, options, *target, model, journal).Run();
}

}  // namespace akgen::generate
