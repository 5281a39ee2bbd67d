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
constexpr size_t kMostTroubles = 3;  // requests without an answer before the run ends

uint64_t SeedOf(const PreferOptions& o, const std::string& id) {
  uint64_t h = corpus::MixBits(o.problems.seed);
  for (unsigned char c : id) h = corpus::MixBits(h ^ c);
  return h >> 16;  // room for the samples' numbers; and JSON readers keep it whole
}

Json ToJson(const Answered& a) {
  Json j{{"verdict", a.verdict}, {"reason", a.reason}, {"sealed", a.sealed}};
  j.update(record::ToJson(a.modelled));
  return j;
}

bool Counts(const Json& answer) {
  return record::Counts({answer["verdict"].get_ref<const std::string&>(), record::Sealed(answer)});
}
bool Passes(const Json& answer) { return Counts(answer) && answer["verdict"] == "pass"; }

// Of one kind of problems: verdicts, and how many answers of each problem pass.
struct Score {
  size_t problems = 0, answers = 0;
  std::map<std::string, size_t> verdicts;
  double one = 0, all = 0;
  size_t whole = 0;  // problems of which every sample counts

  void Add(const Json& line, int samples) {
    int n = 0, c = 0;
    for (const Json& a : line["answers"]) ++verdicts[a["verdict"]], n += Counts(a), c += Passes(a);
    answers += line["answers"].size();
    if (n == 0) return;
    ++problems;
    one += OneOf(n, c, 1);
    if (n < samples) return;
    ++whole;
    all += OneOf(n, c, samples);
  }
  Json Record(int samples) const {
    Json at{{"1", problems ? one / static_cast<double>(problems) : 0.0}};
    if (samples > 1) at[std::to_string(samples)] = whole ? all / static_cast<double>(whole) : 0.0;
    return {{"problems", problems}, {"answers", answers}, {"verdicts", verdicts}, {"pass_at", at}};
  }
};

// Problems that are asked and wait for their verdicts; the one who asks waits when there are many.
struct Asked {
  Problem problem;
  std::vector<generate::Resampled> answers;
};

class Preferring {
 public:
  Preferring(const fs::path& dir, const PreferOptions& o, Problems problems, generate::Journal& journal)
      : dir_(dir), o_(o), problems_(std::move(problems)), journal_(journal), pool_(std::max(1, o.jobs)) {}

  Result<Json> Run() {
    if (auto s = ReadBefore(); !s.ok()) return s.error();
    // Helper processes end with the thread that started them, and judges go from hand to hand: no thread ends before
    // the others have.
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
      if (line["kind"] == "problem") before_.emplace(line["id"], line);
    });
  }
  bool Stopped() const { return o_.stop && o_.stop->load(); }

  Status AskAll() {
    for (;;) {
      auto p = problems_.Next();
      if (!p.ok()) return p.error();
      if (!*p) return {};
      order_.push_back((*p)->id);
      if (before_.count((*p)->id) || Stopped() || troubles_.size() >= kMostTroubles) continue;
      auto answers = Ask(**p);
      if (!answers.ok() && answers.error().code == "AK1930") {  // it will not fit the next time either
        order_.pop_back();
        ++too_long_;
        continue;
      }
      if (!answers.ok()) {
        troubles_.push_back(answers.error().ToString());
        continue;
      }
      std::unique_lock lock(mutex_);
      changed_.wait(lock,
                    [&] { return waiting_.size() < 2 * static_cast<size_t>(std::max(1, o_.jobs)) || !failed_.ok(); });
      if (!failed_.ok()) return {};
      waiting_.push_back({std::move(**p), std::move(*answers)});
      lock.unlock();
      changed_.notify_all();
    }
  }

  Result<std::vector<generate::Resampled>> Ask(const Problem& problem) const {
    const generate::Request request{
        problem.Prompt(), o_.samples, SeedOf(o_, problem.id), {{"task", problem.id}, {"generator", "craft"}}};
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
            [&](const generate::Answer& a) { return generate::MakeFromProgram(a.text, problem.task, problem.target); },
            o_.resample);
      }));
    std::optional<Error> failed;
    for (auto& d : drawn) {
      auto done = d.get();
      if (done.ok()) answers.push_back(std::move(*done));
      else if (!failed) failed = done.error();
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
      // Who stops the run may have stopped the helper processes and what they ran as well: that is no verdict.
      const bool cut = Stopped();
      Status s = cut ? Status() : line.ok() ? journal_.Add(*line) : Status(line.error());
      lock.lock();
      if (!s.ok() && failed_.ok()) failed_ = s;
      if (s.ok() && !cut) done_.emplace(asked.problem.id, std::move(*line));
      if (o_.progress) o_.progress(before_.size() + done_.size(), problems_.count(), before_.size(), Rate());
      lock.unlock();
      changed_.notify_all();
    }
  }

  std::string Rate() {
    size_t n = 0, c = 0;
    for (const auto& [id, line] : done_)
      for (const Json& a : line["answers"]) n += Counts(a), c += Passes(a);
    return fmt::format("{} of {} answers pass", c, n);
  }

  // A problem whose planned program does not pass is no problem to learn from: its answers are not judged.
  Result<Json> Judge(const Asked& asked) {
    const uint64_t seed = SeedOf(o_, asked.problem.id);
    auto planner = JudgeAnswer(pool_, asked.problem, asked.problem.program, seed, o_.time);
    if (!planner.ok()) return planner.error();
    Json line{{"kind", "problem"},
              {"id", asked.problem.id},
              {"composed", asked.problem.composed},
              {"operations", asked.problem.operations},
              {"planner", ToJson(*planner)},
              {"inputs_seed", seed},
              {"answers", Json::array()}};
    line["planner"]["text"] = asked.problem.program;
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
      line["answers"].push_back(ToJson(it->second));
      line["answers"].back().update({{"text", a.text}, {"finish", a.finish}, {"tokens", a.completion_tokens}});
      if (o_.resample > 0) line["answers"].back()["redraws"] = drawn.attempts;
    }
    return line;
  }

  Result<Json> Write() {
    Json card{{"schema", 1},
              {"samples", o_.samples},
              {"passed_over", problems_.passed_over()},
              {"troubles", troubles_},
              {"model", o_.model_record}};
    Score both, composed, tasks;
    size_t left = 0, pairs = 0;
    int64_t tokens = 0;
    std::map<std::string, size_t> kinds, unusable;
    std::string lines;
    corpus::FormatWriter writer(dir_, o_.formats);
    for (const std::string& id : order_) {
      const auto before = before_.find(id), fresh = done_.find(id);
      if (before == before_.end() && fresh == done_.end()) {
        ++left;
        continue;
      }
      const Json& line = before != before_.end() ? before->second : fresh->second;
      if (!Passes(line["planner"])) {
        ++unusable[line["planner"]["verdict"]];
        continue;
      }
      both.Add(line, o_.samples);
      (line["composed"] ? composed : tasks).Add(line, o_.samples);
      for (const Json& a : line["answers"]) tokens += a["tokens"].get<int64_t>();
      WritePasses(line, writer);
      for (const OwnPair& p : PairsOf(line, o_)) {
        ++kinds[p.kind], ++pairs;
        writer.Add(corpus::Preference{{{"user", line["operations"]}}, "", p.chosen, "", p.rejected, id, "train"});
        Json row{{"schema", 1},        {"id", id},
                 {"kind", p.kind},     {"prompt", line["operations"]},
                 {"chosen", p.chosen}, {"rejected", p.rejected},
                 {"reason", p.reason}};
        lines += base::Dump(row) + "\n";
      }
    }
    if (auto s = writer.Close(); !s.ok()) return s.error();
    if (auto s = base::WriteFileAtomic(dir_ / "pairs.jsonl", lines); !s.ok()) return s.error();
    card.update(both.Record(o_.samples));
    card.update({{"composed", composed.Record(o_.samples)},
                 {"tasks", tasks.Record(o_.samples)},
                 {"left", left},
                 {"unusable", unusable},
                 {"too_long", too_long_},
                 {"tokens", tokens},
                 {"pairs", pairs},
                 {"kinds", kinds}});
    if (auto s = base::WriteFileAtomic(dir_ / "card.json", base::Dump(card, 1) + "\n"); !s.ok()) return s.error();
    return card;
  }

  void WritePasses(const Json& line, corpus::FormatWriter& writer) const {
    std::set<std::string> texts;
    for (const Json& a : line["answers"])
      if (Passes(a) && texts.size() < o_.per_prompt && texts.insert(a["text"]).second)
        writer.Add(corpus::Sample{{{"user", line["operations"]}, {"assistant", a["text"]}}, "", line["id"], "train"});
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
  std::map<std::string, Json> before_, done_;
};

// How much a failing answer tells: a program that runs more than one that does not build, and that more than what is
// cut off before it is one; -1: nothing, its verdict is the judge's doing or ours.
int Telling(const Json& answer) {
  const std::string outcome = answer["verdict"];
  return !Counts(answer) || Passes(answer) || outcome == "rejected" ? -1 : record::Rank(outcome);
}

// Answers for which `key` is not negative, each text once: the largest first, the first of equals.
std::vector<const Json*> Ordered(const Json& line, const std::function<double(const Json&)>& key) {
  std::vector<std::tuple<double, size_t, const Json*>> all;
  std::set<std::string> texts;
  for (const Json& a : line["answers"])
    if (key(a) >= 0 && texts.insert(a["text"]).second) all.emplace_back(-key(a), all.size(), &a);
  std::sort(all.begin(), all.end());
  std::vector<const Json*> out;
  for (const auto& [k, at, a] : all) out.push_back(a);
  return out;
}

// The fastest first; those without a time last.
double Speed(const Json& answer) {
  return Passes(answer) ? answer.contains("us") ? 1 / answer["us"].get<double>() : 0 : -1;
}
}  // namespace

double OneOf(int n, int c, int k) {
  double none = 1;  // C(n - c, k) / C(n, k)
  for (int i = 0; i < k; ++i) none *= static_cast<double>(std::max(0, n - c - i)) / static_cast<double>(n - i);
  return 1 - none;
}

std::vector<OwnPair> PairsOf(const Json& line, const PreferOptions& o) {
  std::vector<OwnPair> out;
  std::vector<const Json*> good = Ordered(line, Speed), bad = Ordered(line, Telling);
  const bool own = !good.empty();
  if (!own && o.planner && Passes(line["planner"])) good.push_back(&line["planner"]);
  for (size_t i = 0; i < std::min(bad.size(), o.per_prompt) && !good.empty(); ++i) {
    const Json& chosen = *good[o.time ? 0 : i % good.size()];
    out.push_back({(own ? "pass>" : "planner>") + (*bad[i])["verdict"].get<std::string>(), chosen["text"],
                   (*bad[i])["text"], (*bad[i])["reason"]});
  }
  if (!o.time || good.size() < 2 || !good.front()->contains("us") || !good.back()->contains("us")) return out;
  const record::Modelled fast = record::ModelledOf(*good.front()), slow = record::ModelledOf(*good.back());
  if (slow.us >= o.faster * fast.us && record::SpeedBeyond(fast, slow) > 1)
    out.push_back({"faster", (*good.front())["text"], (*good.back())["text"],
                   fmt::format("{:.2f} us instead of {:.2f} us", slow.us, fast.us)});
  return out;
}

Result<Json> Prefer(const fs::path& dir, const PreferOptions& options) {
  std::error_code ec;
  fs::create_directories(dir, ec);
  Json config{{"stage", "prefer"},    {"model", options.model_record}, {"samples", options.samples},
              {"time", options.time}, {"seed", options.problems.seed}, {"cases", options.problems.cases}};
  auto journal = generate::Journal::Open(dir / "journal.jsonl", config);
  if (!journal.ok()) return journal.error();
  auto problems = Problems::Open(options.problems, [&](size_t done, size_t all) {
    if (options.progress)
      options.progress(0, options.problems.compositions, 0, fmt::format("reading the tasks, {} of {}", done, all));
  });
  if (!problems.ok()) return problems.error();
  return Preferring(dir, options, std::move(*problems), **journal).Run();
}

}  // namespace akgen::learn
