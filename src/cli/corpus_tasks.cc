// `akgen corpus tasks`: what the tasks teach, but for those that are held out.
#include <fmt/core.h>

#include <memory>

#include "cli/corpus.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "corpus/records/task_records.h"

namespace akgen::cli {
namespace {
struct TaskCorpusArgs {
  JudgingOptions judging;  // chip and backend; what is learned from asks for evidence
  std::string heldout, out, json;
  corpus::TaskRecordOptions options;
};

int RunTaskCorpus(TaskCorpusArgs& a) {
  a.options.chip = a.judging.chip;
  auto heldout = corpus::ReadHeldout(a.heldout);
  if (!heldout.ok()) {
    PrintError(heldout.error());
    return kUsage;
  }
  a.options.heldout = *heldout;
  Progress bar;
  a.options.progress = [&](size_t done, size_t all, const std::string& what) {
    bar.Show(done, all, 0, what);
  };
  auto made = corpus::BuildTaskRecords(a.out, a.options);
  bar.End();
  if (!made.ok()) {
    PrintError(made.error());
    return kFault;
  }
  if (a.json != "-")
    fmt::print(
        "{}: {} records; {} tasks held out, {} like them, {} without a program, {} that do not "
        "pass\n",
        a.out, made->records, made->heldout, made->like_heldout, made->refused, made->failed);
  return a.json.empty() ? kOk : WriteJson(corpus::ToJson(*made), a.json);
}
}  // namespace

void AddCorpusTasks(CLI::App* corpus, int& exit_code) {
  auto a = std::make_shared<TaskCorpusArgs>();
  CLI::App* c = corpus->add_subcommand(
      "tasks",
      "The planner's programs for the tasks that are not held out: training data for "
      "models scored on the held-out ones");
  c->add_option("--heldout", a->heldout,
                "File {\"tasks\": {category: [name, ...]}}; tasks that compute the same as one of "
                "them are excluded too")
      ->required()
      ->check(CLI::ExistingFile);
  c->add_option("--out", a->out, "Folder for the records")->required();
  c->add_option("--cases", a->options.cases,
                "Number of a task's smallest cases that a program must pass")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  a->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kSealedBackend);
  c->add_option("--json", a->json, "Write the counts to this file (- for standard output)");
  c->footer(
      "Example: akgen corpus tasks --heldout models/heldout.json --out seen\nExit code: 0, 2 usage "
      "error, 3 internal "
      "error.");
  c->callback([a, &exit_code] { exit_code = RunTaskCorpus(*a); });
}

}  // namespace akgen::cli
