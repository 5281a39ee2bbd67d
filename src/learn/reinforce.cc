#include "learn/reinforce.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <thread>

#include "base/files.h"
#include "base/math_libraries.h"
#include "base/process.h"
#include "base/seed.h"
#include "record/reward.h"

namespace akgen::learn {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

// Helper processes end with the thread that started them: the threads that judge stay until the
// end.
struct Rewarder::Shared {
  struct Work {
    const Problem* problem;
    const std::string* text;
    uint64_t seed;
    std::optional<Result<Answered>> done;
  };
  Shared(std::map<std::string, Problem> p, const ReinforceOptions& o, const fs::path& file)
      : problems(std::move(p)),
        options(o),
        log(file, std::ios::app),
        log_file(file),
        pool(std::max(1, o.jobs)) {}

  void Run() {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return end || !waiting.empty(); });
      if (waiting.empty()) return;
      Work* work = waiting.front();
      waiting.pop_front();
      lock.unlock();
      auto answered = JudgeAnswer(pool, *work->problem, *work->text, work->seed, options.time);
      lock.lock();
      work->done = std::move(answered);
      lock.unlock();
      changed.notify_all();
    }
  }

  // All of them, side by side.
  void Judge(std::deque<Work>& all) {
    std::unique_lock lock(mutex);
    for (Work& w : all) waiting.push_back(&w);
    changed.notify_all();
    changed.wait(lock, [&] {
      return std::all_of(all.begin(), all.end(), [](const Work& w) { return w.done.has_value(); });
    });
  }

  std::map<std::string, Problem> problems;
  const ReinforceOptions& options;
  std::ofstream log;
  fs::path log_file;
  generate::JudgePool pool;
  std::map<std::string, Answered> planned;  // of the planner's programs, by problem
  std::map<std::string, size_t> verdicts;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work*> waiting;
  bool end = false;
  std::vector<std::thread> threads;
};

Rewarder::Rewarder(std::map<std::string, Problem> problems, const ReinforceOptions& options,
                   const fs::path& log)
    : shared_(std::make_unique<Shared>(std::move(problems), options, log)) {
  for (int i = 0; i < std::max(1, options.jobs); ++i)
    shared_->threads.emplace_back([this] { shared_->Run(); });
}

Rewarder::~Rewarder() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->end = true;
  }
  shared_->changed.notify_all();
  for (std::thread& t : shared_->threads) t.join();
}

std::map<std::string, size_t> Rewarder::verdicts() const { return shared_->verdicts; }

Result<std::vector<std::optional<double>>> Rewarder::Rewards(
    const std::vector<record::RewardedText>& rollouts) {
  Shared& s = *shared_;
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> asked;
  for (const record::RewardedText& r : rollouts) {
    const std::string id = r.SourceId();
    if (!s.problems.count(id))
      return Error{"AK0801", "an answer to a problem that is none: `" + id + "`", "akgen-lm",
                   "go on with the options that the run was started with"};
    asked.emplace_back(id, r.text);
  }
  // Each text once, and the planner's program of each problem once in all.
  std::deque<Shared::Work> all;
  std::map<Key, Shared::Work*> answers;
  std::map<std::string, Shared::Work*> planners;
  std::map<std::string, uint64_t> seeds;  // one for all answers of a group
  for (const Key& k : asked) {
    const Problem& p = s.problems.at(k.first);
    const uint64_t seed = seeds.try_emplace(k.first, base::DrawSeed()).first->second;
    if (!s.planned.count(k.first) && !planners.count(k.first))
      planners[k.first] = &all.emplace_back(Shared::Work{&p, &p.program, seed, {}});
    auto [it, fresh] = answers.try_emplace(k, nullptr);
    if (fresh) it->second = &all.emplace_back(Shared::Work{&p, &it->first.second, seed, {}});
  }
  s.Judge(all);
  for (const Shared::Work& w : all)
    if (!w.done->ok()) return w.done->error();
  for (const auto& [id, work] : planners) s.planned[id] = **work->done;
  std::vector<std::optional<double>> rewards;
  for (const Key& k : asked) {
    const Answered& planned = s.planned.at(k.first);
    // Of a problem whose own program does not pass, nobody can tell.
    const Answered answered =
        planned.verdict == "pass" ? **answers.at(k)->done : Answered{"undecided", "", false};
    ++s.verdicts[answered.verdict];
    const auto reward = answered.Reward();
    rewards.push_back(reward);
    Json row{{"id", k.first},
             {"inputs_seed", seeds.at(k.first)},
             {"verdict", answered.verdict},
             {"sealed", answered.sealed},
             {"reward", reward ? Json(*reward) : Json()},
             {"reward_version", record::kRewardVersion},
             {"right_values", answered.merit.right_values},
             {"bound_share", answered.merit.bound_share},
             {"text", k.second}};
    s.log << base::Dump(row) << "\n";
  }
  s.log.flush();
  if (!s.log)
    return Error{"AK0002", "cannot write " + s.log_file.string(), s.log_file.string(),
                 "is the disk full?"};
  return rewards;
}

Json ToJson(const Reinforced& r) {
  return {{"steps", r.steps}, {"verdicts", r.verdicts}, {"exit_code", r.exit_code}};
}

Result<Reinforced> Reinforce(Json settings, const fs::path& out, const ReinforceOptions& options,
                             const std::function<void(size_t, size_t)>& progress) {
  auto problems = Problems::Open(options.problems, progress);
  if (!problems.ok()) return problems.error();
  std::map<std::string, Problem> all;
  std::string lines;
  for (;;) {
    auto p = problems->Next();
    if (!p.ok()) return p.error();
    if (!*p) break;
    lines += base::Dump(Json{{"id", (*p)->id}, {"prompt", (*p)->operations}}) + "\n";
    all.emplace((*p)->id, std::move(**p));
  }
  const fs::path prompts = out.string() + ".prompts.jsonl";
  std::error_code ec;
  if (out.has_parent_path()) fs::create_directories(out.parent_path(), ec);
  if (auto s = base::WriteFileAtomic(prompts, lines); !s.ok()) return s.error();
  settings["objective"] = "grpo";
  settings["data"] = Json::array({prompts.string()});
  std::vector<std::string> argv = {(base::ExecutableDir() / "akgen-lm").string(), "train",
                                   base::Dump(settings), out.string()};
  if (options.resume) argv.push_back("--resume");
  auto process = base::LineProcess::Start(argv, base::MathLibrarySettings());
  if (!process.ok()) return process.error();
  Rewarder rewarder(std::move(all), options, out.string() + ".answers.jsonl");
  size_t steps = 0;
  auto stopped = [&] { return options.stop && options.stop->load(); };
  for (std::string line; process->Read(line) && !stopped(); ++steps) {
    const auto asked = record::RolloutsFromJson(base::Parse(line));
    if (!asked)
      return Error{"AK0012", "akgen-lm says something else than its answers", line.substr(0, 200),
                   "are both programs of the same build?"};
    auto rewards = rewarder.Rewards(*asked);
    if (!rewards.ok()) return rewards.error();
    if (stopped() || !process->Write(base::Dump(record::RewardsToJson(*rewards))))
      break;  // verdicts of a judge that was stopped as well are none
  }
  return Reinforced{steps, rewarder.verdicts(), process->Wait()};
}

}  // namespace akgen::learn
