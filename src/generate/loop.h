// The loop: prompt, extract the code, judge, feed back what is wrong, prompt again; n samples of
// many tasks at a time.
#pragma once
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "generate/generator.h"
#include "generate/journal.h"

namespace akgen::generate {

struct Work {
  task::TaskSpec task;
  std::vector<task::CaseRow> cases;  // candidates are judged on these
};

struct LoopOptions {
  Way way = Way::kDirect;
  int samples = 1;  // per task
  int repair = 0;   // further turns of a sample, each with what was wrong with the one before
  int resample =
      0;  // kOperations: compiler-guided resampling (resample.h), attempts for each answer
  int improve = 0;  // further turns after a pass, each with what would make the fastest one so far
                    // faster; asks for modelled times (judge::Options::time)
  uint64_t seed = 1;  // sample k is asked for with seed + k
  int hidden = 4;  // cases of shapes and values that no author sees, which a pass must pass as well
  bool kernel_only = false;
  PromptForm form = PromptForm::kFull;  // of Way::kCraft
  bool first_pass = false;              // no further samples of a task that has one that passes
  int concurrency = 4;                  // concurrent samples
  int jobs = 1;                         // candidates judged at a time
  judge::Options judging;               // `rows` and `kernel_only` are set here; with a seed
  chip::Chip chip;
  std::filesystem::path
      out;  // OUT/<task>/sample<K>/{op_host,op_kernel}: the best candidate of each sample
  const std::atomic<bool>* stop = nullptr;
  struct Progress {
    size_t done, all, before;  // samples; `before`: of earlier processes
    std::string what;
  };
  std::function<void(const Progress&)> progress;  // called by one thread at a time
};

struct LoopSummary {
  size_t samples = 0, before = 0, left = 0, skipped = 0;
  std::vector<base::Error> troubles;  // why samples are left, one per reason, at most 10
  bool sealed = false;
  size_t tasks_passed = 0, samples_passed = 0;
  std::map<std::string, size_t> verdicts;  // of samples
  std::map<std::string, std::optional<record::SampleEnd>>
      best;  // by task; nothing: no sample has ended
  JournalTotals totals;
  bool all_passed() const {
    return tasks_passed == best.size();
  }  // every task has a sample that passes
};
base::Json ToJson(const LoopSummary& summary);  // docs/generate.md, "Summary"

// `model` may be null for Way::kPlan. AK0707 the journal cannot be written, AK0002 a project cannot
// be; AK0013.
base::Result<LoopSummary> RunLoop(const std::vector<Work>& work, const LoopOptions& options,
                                  Model* model, Journal& journal);

}  // namespace akgen::generate
