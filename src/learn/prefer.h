// Preference pairs from a model's own answers: problems are prompted, answers judged, and passing
// answers preferred over failing ones.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "learn/problems.h"
#include "record/verdict.h"

namespace akgen::learn {

struct PreferOptions {
  ProblemOptions problems;
  generate::Model* model = nullptr;
  base::Json model_record;  // what tells this model and its settings from others: a journal of
                            // another one is refused
  int samples = 8;          // of each problem, with consecutive seeds
  int resample = 0;   // compiler-guided resampling (generate/resample.h), attempts for each answer
  bool time = false;  // the fastest of what passes is chosen
  double faster =
      1.1;  // with `time`: a pass that takes so many times the fastest one's time makes a pair, too
  size_t per_prompt = 2;  // pairs at most, beside that one
  bool planner = true;    // where nothing passes, the planner's program is what is chosen
  std::vector<std::string> formats = {"trl"};
  int jobs = 1;  // answers judged at a time
  const std::atomic<bool>* stop = nullptr;
  std::function<void(size_t done, size_t all, size_t before, const std::string& what)> progress;
};

// A pair of answers to one problem.
struct OwnPair {
  std::string kind;                      // "pass>wrong_answer", "planner>refused", "faster"
  std::string chosen, rejected, reason;  // why the rejected one is
};

// An answer and what became of it.
struct OwnAnswer {
  Answered judged;
  std::string text, finish;
  int64_t tokens = 0;
  std::optional<int> resampled;  // attempts of compiler-guided resampling
  bool Counts() const { return record::Counts({judged.verdict, judged.sealed}); }
  bool Passes() const {
    return Counts() && judged.verdict == record::NameOf(record::Verdict::kPass);
  }
};
// A line of the journal: a problem with all its answers.
struct ProblemLine {
  std::string id;
  bool composed = false;  // else a task
  std::string operations;
  OwnAnswer planner;  // the planner's program
  uint64_t inputs_seed = 0;
  std::vector<OwnAnswer> answers;
};
base::Json ToJson(const ProblemLine& line);  // docs/corpus.md
std::optional<ProblemLine> ProblemLineFromJson(
    const base::Json& line);  // nothing: a line of another kind

// What is rejected: the largest reward first (record/reward.h): findings with right values, wrong
// answers, runs that fail or do not end, then what does not build or is refused, then what is no
// program; each text once. What the judge could not decide (Place() < 0) stands in no pair.
std::vector<OwnPair> PairsOf(const ProblemLine& line, const PreferOptions& options);

// 1 - C(n - c, k) / C(n, k): whether one of k answers passes, estimated without bias from c of n. 0
// <= c <= n, 1 <= k
// <= n.
double OneOf(int n, int c, int k);

// Of one kind of problems: verdicts, and how many answers of each problem pass.
struct PassRates {
  size_t problems = 0, answers = 0;
  std::map<std::string, size_t> verdicts;
  std::map<int, double> pass_at;  // by k: 1 and the number of samples
};

struct PreferCard {
  int samples = 0;
  size_t passed_over = 0, left = 0, too_long = 0, pairs = 0;
  int64_t tokens = 0;
  std::vector<std::string> troubles;  // why problems are left
  std::map<std::string, size_t>
      unusable;  // problems whose planned program does not pass, by its verdict
  std::map<std::string, size_t> kinds;  // pairs
  PassRates all, composed, tasks;
  base::Json model;
};
// {"schema", "samples", members by name, those of `all` beside them}
base::Json ToJson(const PreferCard& card);

// Fills DIR: journal.jsonl (one line per problem; the same call resumes), pairs.jsonl,
// FORMAT/preference.jsonl and FORMAT/sft.jsonl (what passes), card.json. AK0706, AK0707 the
// journal; AK0002 files; AK0013 helper processes; errors of Problems.
base::Result<PreferCard> Prefer(const std::filesystem::path& dir, const PreferOptions& options);

}  // namespace akgen::learn
