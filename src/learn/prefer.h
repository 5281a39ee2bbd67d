// Preference pairs from a model's own answers: problems are prompted, answers judged, and passing answers preferred
// over failing ones.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "learn/problems.h"

namespace akgen::learn {

struct PreferOptions {
  ProblemOptions problems;
  generate::Model* model = nullptr;
  base::Json model_record;  // what tells this model and its settings from others: a journal of another one is refused
  int samples = 8;          // of each problem, with consecutive seeds
  int resample = 0;         // compiler-guided resampling (generate/resample.h), attempts for each answer
  bool time = false;        // the fastest of what passes is chosen
  double faster = 1.1;      // with `time`: a pass that takes so many times the fastest one's time makes a pair, too
  size_t per_prompt = 2;    // pairs at most, beside that one
  bool planner = true;      // where nothing passes, the planner's program is what is chosen
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
// `line`: of the journal, docs/corpus.md. What is rejected: wrong answers first, then findings and what does not end,
// then what does not build or is refused, then what is no program; each text once. What the judge could not decide
// (Place() < 0) stands in no pair.
std::vector<OwnPair> PairsOf(const base::Json& line, const PreferOptions& options);

// 1 - C(n - c, k) / C(n, k): whether one of k answers passes, estimated without bias from c of n. 0 <= c <= n, 1 <= k
// <= n.
double OneOf(int n, int c, int k);

// Fills DIR: journal.jsonl (one line per problem; the same call resumes), pairs.jsonl,
// FORMAT/preference.jsonl and FORMAT/sft.jsonl (what passes), card.json. Returns the card: {"schema", "problems",
// "left", "unusable": {verdict: n}, "passed_over", "answers", "tokens", "verdicts": {verdict: n}, "pass_at": {"1":
// share, K: share}, "composed", "tasks": the same of each, "pairs", "kinds": {kind: n}, "troubles": [why problems are
// left]}. AK0706, AK0707 the journal; AK0002 files; AK0013 helper processes; errors of Problems.
base::Result<base::Json> Prefer(const std::filesystem::path& dir, const PreferOptions& options);

}  // namespace akgen::learn
