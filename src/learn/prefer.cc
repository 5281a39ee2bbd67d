#include "learn/prefer.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <latch>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "base/files.h"
#include "corpus/compose/random.h"
#include "corpus/export/formats.h"
#include "corpus/export/pairs.h"
#include "generate/journal.h"
#include "generate/resample.h"
#include "record/modelled.h"
#include "record/verdict.h"

namespace akgen::learn {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {
constexpr const char* kProblem = "problem";  // the kind of a line
constexpr size_t kMaxTroubles = 3;           // requests without an answer before the run ends

uint64_t SeedOf(const PreferOptions& o, const std::string& id) {
  uint64_t h = corpus::MixBits(o.problems.seed);
  for (unsigned char c : id) h = corpus::MixBits(h ^ c);
  return h >> 16;  // room for the samples' numbers; and JSON readers keep it whole
}

Json AnswerToJson(const OwnAnswer& a) {
  Json j{{"verdict", a.judged.verdict},
         {"reason", a.judged.reason},
         {"sealed", a.judged.sealed},
         {"right_values", a.judged.merit.right_values},
         {"bound_share", a.judged.merit.bound_share},
         {"text", a.text}};
  j.update(record::ToJson(a.judged.modelled));
  return j;
}

OwnAnswer AnswerFromJson(const Json& j) {
  OwnAnswer out;
  out.judged = {
      j.at("verdict"), j.value("reason", ""), record::Sealed(j), record::ModelledOf(j), {}};
  out.judged.merit.right_values = j.value("right_values", false);
  out.judged.merit.bound_share = j.value("bound_share", 0.0);
  out.text = j.at("text"), out.finish = j.value("finish", ""),
  out.tokens = std::clamp<int64_t>(j.value("tokens", int64_t{0}), 0, int64_t{1} << 40);
  if (j.contains("redraws")) out.resampled = j["redraws"].get<int>();
  return out;
}

Json RatesToJson(const PassRates& r) {
  Json at = Json::object();
  for (const auto& [k, share] : r.pass_at) at[std::to_string(k)] = share;
  return {
      {"problems", r.problems}, {"answers", r.answers}, {"verdicts", r.verdicts}, {"pass_at", at}};
}

// Adds problems up.
struct Score {
  PassRates rates;
  double one = 0, all = 0;
  size_t whole = 0;  // problems of which every sample counts

  void Add(const ProblemLine& line, int samples) {
    int n = 0, c = 0;
    for (const OwnAnswer& a : line.answers)
      ++rates.verdicts[a.judged.verdict], n += a.Counts(), c += a.Passes();
    rates.answers += line.answers.size();
    if (n == 0) return;
    ++rates.problems;
    one += OneOf(n, c, 1);
    if (n < samples) return;
    ++whole;
    all += OneOf(n, c, samples);
  }
  PassRates Rates(int samples) {
    rates.pass_at[1] = rates.problems ? one / static_cast<double>(rates.problems) : 0.0;
    if (samples > 1) rates.pass_at[samples] = whole ? all / static_cast<double>(whole) : 0.0;
    return rates;
  }
};

// Problems that are asked and wait for their verdicts; the one who asks waits when there are many.
struct Asked {
  Problem problem;
  std::vector<generate::Resampled> answers;
};

class Preferring {
 public:
  Preferring(const fs::path& dir, const PreferOptions& o, Problems problems,
             generate::Journal& journal)
      : dir_(dir),
        o_(o),
        problems_(std::move(problems)),
        journal_(journal),
        pool_(std::max(1, o.jobs)) {}

  Result<PreferCard> Run() {
    if (auto s = ReadBefore(); !s.ok()) return s.error();
    // Helper processes end with the thread that started them, and judges go from hand to hand: no
    // thread ends before the others have.
    std::latch all(std::max(1, o_.jobs));
    std::vector<std::thread> threads;
    for (int i = 0; i < std::max(1, o_.jobs); ++i)
      threads.emplace_back([&] {
        Work();
        all.arrive_and_wait();
      });
    Status asked = AskAll();
    {
      std::lock_guard lock(mutex_);
      all_asked_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads) t.join();
    if (!asked.ok()) return asked.error();
    if (!failed_.ok()) return failed_.error();
    return Write();
  }

 private:
  Status ReadBefore() {
    return generate::ReadLines(dir_ / "journal.jsonl", [&](const Json& line) {
      if (auto problem = ProblemLineFromJson(line))
        before_.emplace(problem->id, std::move(*problem));
    });
  }
  bool Stopped() const { return o_.stop && o_.stop->load(); }

  Status AskAll() {
    for (;;) {
      auto p = problems_.Next();
      if (!p.ok()) return p.error();
      if (!*p) return {};
      order_.push_back((*p)->id);
      if (before_.count((*p)->id) || Stopped() || troubles_.size() >= kMaxTroubles) continue;
      auto answers = Ask(**p);
      if (!answers.ok() &&
          answers.error().code == "AK1930") {  // it will not fit the next time either
        order_.pop_back();
        ++too_long_;
        continue;
      }
      if (!answers.ok()) {
        troubles_.push_back(answers.error().ToString());
        continue;
      }
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return waiting_.size() < 2 * static_cast<size_t>(std::max(1, o_.jobs)) || !failed_.ok();
      });
      if (!failed_.ok()) return {};
      waiting_.push_back({std::move(**p), std::move(*answers)});
      lock.unlock();
      changed_.notify_all();
    }
  }

  Result<std::vector<generate::Resampled>> Ask(const Problem& problem) const {
    const generate::Request request{problem.Prompt(),
                                    o_.samples,
                                    SeedOf(o_, problem.id),
                                    {{"task", problem.id}, {"generator", "craft"}}};
    std::vector<generate::Resampled> answers;
    if (o_.resample == 0) {
      auto plain = o_.model->Ask(request);
      if (!plain.ok()) return plain.error();
      for (generate::Answer& a : *plain) answers.push_back({std::move(a), {}, 0});
      return answers;
    }
    // Each answer is resampled on its own; the model batches those that wait at the same time.
    std::vector<std::future<Result<generate::Resampled>>> drawn;
    for (int i = 0; i < o_.samples; ++i)
      drawn.push_back(std::async(std::launch::async, [&, i] {
        generate::Request one = request;
        one.n = 1, one.seed += static_cast<uint64_t>(i);
        return generate::Resample(
            *o_.model, one,
            [&](const generate::Answer& a) {
              return generate::MakeFromProgram(a.text, problem.task, problem.target);
            },
            o_.resample);
      }));
    std::optional<Error> failed;
    for (auto& d : drawn) {
      auto done = d.get();
      if (done.ok())
        answers.push_back(std::move(*done));
      else if (!failed)
        failed = done.error();
    }
    if (failed) return *failed;
    return answers;
  }

  void Work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !waiting_.empty() || all_asked_ || !failed_.ok(); });
      if (waiting_.empty() || !failed_.ok()) return;
      Asked asked = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      changed_.notify_all();
      auto line = Judge(asked);
      // Who stops the run may have stopped the helper processes and what they ran as well: that is
      // no verdict.
      const bool cut = Stopped();
      Status s = cut ? Status() : line.ok() ? journal_.Add(ToJson(*line)) : Status(line.error());
      lock.lock();
      if (!s.ok() && failed_.ok()) failed_ = s;
      if (s.ok() && !cut) done_.emplace(asked.problem.id, std::move(*line));
      if (o_.progress)
        o_.progress(before_.size() + done_.size(), problems_.count(), before_.size(), Rate());
      lock.unlock();
      changed_.notify_all();
    }
  }

  std::string Rate() {
    size_t n = 0, c = 0;
    for (const auto& [id, line] : done_)
      for (const OwnAnswer& a : line.answers) n += a.Counts(), c += a.Passes();
    return fmt::format("{} of {} answers pass", c, n);
  }

  // A problem whose planned program does not pass is no problem to learn from: its answers are not
  // judged.
  Result<ProblemLine> Judge(const Asked& asked) {
    const uint64_t seed = SeedOf(o_, asked.problem.id);
    auto planner = JudgeAnswer(pool_, asked.problem, asked.problem.program, seed, o_.time);
    if (!planner.ok()) return planner.error();
    ProblemLine line{
        asked.problem.id, asked.problem.composed, asked.problem.operations, {}, seed, {}};
    line.planner.judged = *planner, line.planner.text = asked.problem.program;
    std::map<std::string, Answered> known{{asked.problem.program, *planner}};
    for (const generate::Resampled& drawn : asked.answers) {
      if (planner->verdict != "pass") break;
      const generate::Answer& a = drawn.answer;
      auto it = known.find(a.text);
      if (it == known.end()) {
        auto judged = JudgeAnswer(pool_, asked.problem, a.text, seed, o_.time);
        if (!judged.ok()) return judged.error();
        it = known.emplace(a.text, *judged).first;
      }
      OwnAnswer& own = line.answers.emplace_back(
          OwnAnswer{it->second, a.text, a.finish, a.completion_tokens, {}});
      if (o_.resample > 0) own.resampled = drawn.attempts;
    }
    return line;
  }

  Result<PreferCard> Write() {
    PreferCard card;
    card.samples = o_.samples, card.passed_over = problems_.passed_over(),
    card.troubles = troubles_;
    card.too_long = too_long_, card.model = o_.model_record;
    Score both, composed, tasks;
    std::string lines;
    corpus::FormatWriter writer(dir_, o_.formats);
    for (const std::string& id : order_) {
      const auto before = before_.find(id), fresh = done_.find(id);
      if (before == before_.end() && fresh == done_.end()) {
        ++card.left;
        continue;
      }
      const ProblemLine& line = before != before_.end() ? before->second : fresh->second;
      if (!line.planner.Passes()) {
        ++card.unusable[line.planner.judged.verdict];
        continue;
      }
      both.Add(line, o_.samples);
      (line.composed ? composed : tasks).Add(line, o_.samples);
      for (const OwnAnswer& a : line.answers) card.tokens += a.tokens;
      WritePasses(line, writer);
      for (const OwnPair& p : PairsOf(line, o_)) {
        ++card.kinds[p.kind], ++card.pairs;
        writer.Add(corpus::Preference{
            {{"user", line.operations}}, "", p.chosen, "", p.rejected, id, "train"});
        Json row{{"schema", 1},        {"id", id},
                 {"kind", p.kind},     {"prompt", line.operations},
                 {"chosen", p.chosen}, {"rejected", p.rejected},
                 {"reason", p.reason}};
        lines += base::Dump(row) + "\n";
      }
    }
    if (auto s = writer.Close(); !s.ok()) return s.error();
    if (auto s = base::WriteFileAtomic(dir_ / "pairs.jsonl", lines); !s.ok()) return s.error();
    card.all = both.Rates(o_.samples), card.composed = composed.Rates(o_.samples);
    card.tasks = tasks.Rates(o_.samples);
    if (auto s = base::WriteFileAtomic(dir_ / "card.json", base::Dump(ToJson(card), 1) + "\n");
        !s.ok())
      return s.error();
    return card;
  }

  void WritePasses(const ProblemLine& line, corpus::FormatWriter& writer) const {
    std::set<std::string> texts;
    for (const OwnAnswer& a : line.answers)
      if (a.Passes() && texts.size() < o_.per_prompt && texts.insert(a.text).second)
        writer.Add(corpus::Sample{
            {{"user", line.operations}, {"assistant", a.text}}, "", line.id, "train"});
  }

  const fs::path dir_;
  const PreferOptions& o_;
  Problems problems_;
  generate::Journal& journal_;
  generate::JudgePool pool_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> waiting_;
  bool all_asked_ = false;
  Status failed_;
  std::vector<std::string> order_, troubles_;  // of the thread that asks
  size_t too_long_ = 0;                        // prompts for the model's context
  std::map<std::string, ProblemLine> before_, done_;
};

// How much a failing answer tells: by its reward, and of those without one a program that does not
// build more than what is cut off before it is one; -1: nothing, its verdict is the judge's doing
// or ours.
double Telling(const OwnAnswer& answer) {
  const std::string& outcome = answer.judged.verdict;
  if (!answer.Counts() || answer.Passes() || outcome == "rejected") return -1;
  constexpr double kBelowAllRewards = 1e-3;
  return *answer.judged.Reward() + kBelowAllRewards * record::Rank(outcome);
}

// Answers for which `key` is not negative, each text once: the largest first, the first of equals.
std::vector<const OwnAnswer*> Ordered(const ProblemLine& line,
                                      const std::function<double(const OwnAnswer&)>& key) {
  std::vector<std::tuple<double, size_t, const OwnAnswer*>> all;
  std::set<std::string> texts;
  for (const OwnAnswer& a : line.answers)
    if (key(a) >= 0 && texts.insert(a.text).second) all.emplace_back(-key(a), all.size(), &a);
  std::sort(all.begin(), all.end());
  std::vector<const OwnAnswer*> out;
  for (const auto& [k, at, a] : all) out.push_back(a);
  return out;
}

// The fastest first; those without a time last.
double Speed(const OwnAnswer& answer) {
  if (!answer.Passes()) return -1;
  return answer.judged.modelled.known() ? 1 / answer.judged.modelled.us : 0;
}
}  // namespace

double OneOf(int n, int c, int k) {
  double none = 1;  // C(n - c, k) / C(n, k)
  for (int i = 0; i < k; ++i)
    none *= static_cast<double>(std::max(0, n - c - i)) / static_cast<double>(n - i);
  return 1 - none;
}

std::vector<OwnPair> PairsOf(const ProblemLine& line, const PreferOptions& o) {
  std::vector<OwnPair> out;
  std::vector<const OwnAnswer*> good = Ordered(line, Speed), bad = Ordered(line, Telling);
  const bool own = !good.empty();
  if (!own && o.planner && line.planner.Passes()) good.push_back(&line.planner);
  for (size_t i = 0; i < std::min(bad.size(), o.per_prompt) && !good.empty(); ++i) {
    const OwnAnswer& chosen = *good[o.time ? 0 : i % good.size()];
    out.push_back({(own ? "pass>" : "planner>") + bad[i]->judged.verdict, chosen.text, bad[i]->text,
                   bad[i]->judged.reason});
  }
  if (!o.time || good.size() < 2) return out;
  const record::Modelled &fast = good.front()->judged.modelled,
                         &slow = good.back()->judged.modelled;
  if (!fast.known() || !slow.known()) return out;
  if (slow.us >= o.faster * fast.us && record::SpeedBeyond(fast, slow) > 1)
    out.push_back({"faster", good.front()->text, good.back()->text,
                   fmt::format("{:.2f} us instead of {:.2f} us", slow.us, fast.us)});
  return out;
}

Json ToJson(const ProblemLine& l) {
  Json out{{"kind", kProblem},
           {"id", l.id},
           {"composed", l.composed},
           {"operations", l.operations},
           {"planner", AnswerToJson(l.planner)},
           {"inputs_seed", l.inputs_seed},
           {"answers", Json::array()}};
  for (const OwnAnswer& a : l.answers) {
    Json one = AnswerToJson(a);
    one["finish"] = a.finish, one["tokens"] = a.tokens;
    if (a.resampled) one["redraws"] = *a.resampled;
    out["answers"].push_back(std::move(one));
  }
  return out;
}

std::optional<ProblemLine> ProblemLineFromJson(const Json& j) {
  if (j.value("kind", "") != kProblem) return std::nullopt;
  ProblemLine out{j.at("id"),
                  j.at("composed"),
                  j.at("operations"),
                  AnswerFromJson(j.at("planner")),
                  j.value("inputs_seed", uint64_t{0}),
                  {}};
  for (const Json& a : j.at("answers")) out.answers.push_back(AnswerFromJson(a));
  return out;
}

Json ToJson(const PreferCard& c) {
  Json out = RatesToJson(c.all);
  out.update({{"schema", 1},
              {"reward_version", record::kRewardVersion},
              {"samples", c.samples},
              {"passed_over", c.passed_over},
              {"troubles", c.troubles},
              {"model", c.model},
              {"composed", RatesToJson(c.composed)},
              {"tasks", RatesToJson(c.tasks)},
              {"left", c.left},
              {"unusable", c.unusable},
              {"too_long", c.too_long},
              {"tokens", c.tokens},
              {"pairs", c.pairs},
              {"kinds", c.kinds}});
  return out;
}

Result<PreferCard> Prefer(const fs::path& dir, const PreferOptions& options) {
  std::error_code ec;
  fs::create_directories(dir, ec);
  Json config{
      {"stage", "prefer"},    {"model", options.model_record}, {"samples", options.samples},
      {"time", options.time}, {"seed", options.problems.seed}, {"cases", options.problems.cases}};
  auto journal = generate::Journal::Open(dir / "journal.jsonl", config);
  if (!journal.ok()) return journal.error();
  auto problems = Problems::Open(options.problems, [&](size_t done, size_t all) {
    if (options.progress)
      options.progress(0, options.problems.compositions, 0,
                       fmt::format("reading the tasks, {} of {}", done, all));
  });
  if (!problems.ok()) return problems.error();
  return Preferring(dir, options, std::move(*problems), **journal).Run();
}

}  // namespace akgen::learn
