// `akgen report`: runs, comparisons and training runs as pages.
#include <fmt/core.h>

#include <memory>

#include "base/files.h"
#include "base/markdown.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/measured_option.h"
#include "cli/output.h"
#include "corpus/export/compare.h"
#include "corpus/export/tries.h"
#include "report/beside.h"
#include "report/curves.h"
#include "report/parity.h"
#include "report/report.h"

namespace akgen::cli {
namespace {
struct ReportArgs {
  std::vector<std::string> files;
  std::string html, markdown, json, parity;
  MeasuredOption table;
  JudgingOptions judging;
  report::Options options;
  bool no_code = false;
};

int Write(const std::string& path, const std::string& text) {
  if (path.empty()) return kOk;
  if (path == "-") {
    fmt::print("{}", text);
    return kOk;
  }
  auto s = base::WriteFileAtomic(path, text);
  if (s.ok()) return kOk;
  PrintError(s.error());
  return kFault;
}

// Journals of `akgen generate` and stores: a comparison of their runs.
int RunBeside(const ReportArgs& a) {
  auto columns = corpus::ColumnsFrom(a.files);
  if (!columns.ok()) {
    PrintError(columns.error());
    return kUsage;
  }
  const record::Comparison comparison = corpus::CompareGenerators(*columns);
  if (int rc = Write(
          a.html, a.html.empty()
                      ? ""
                      : report::BesideHtml(comparison, a.options.title.empty() ? "Side by side"
                                                                               : a.options.title)))
    return rc;
  if (int rc = Write(a.html.empty() && a.markdown.empty() && a.json.empty() ? "-" : a.markdown,
                     corpus::CompareMarkdown(comparison)))
    return rc;
  return a.json.empty() ? kOk : WriteJson(record::ToJson(comparison), a.json);
}

// Metrics of training runs: their curves.
int RunTraining(const ReportArgs& a) {
  auto model = report::TrainingFrom(a.files);
  if (!model.ok()) {
    PrintError(model.error());
    return kUsage;
  }
  if (int rc = Write(a.html, a.html.empty() ? ""
                                            : report::TrainingHtml(*model, a.options.title.empty()
                                                                               ? "Training"
                                                                               : a.options.title)))
    return rc;
  if (int rc = Write(a.html.empty() && a.markdown.empty() && a.json.empty() ? "-" : a.markdown,
                     report::TrainingMarkdown(*model)))
    return rc;
  return a.json.empty() ? kOk : WriteJson(report::ToJson(*model), a.json);
}

// Measurements beside what the model says of them.
int RunParity(const ReportArgs& a) {
  Measurements m;
  if (int rc = a.table.Trace(a.parity, a.judging, m)) return rc;
  const record::Parity model = judge::ParityOf(
      m.rows, m.traced, sim::ErrorsOf(m.traced.kernels, m.timing, uint32_t(m.chip.aiv)));
  const std::string title =
      a.options.title.empty() ? "Modelled against measured, " + m.chip.name : a.options.title;
  if (int rc = Write(a.html, a.html.empty() ? "" : report::ParityHtml(model, title))) return rc;
  if (int rc = Write(a.html.empty() && a.markdown.empty() && a.json.empty() ? "-" : a.markdown,
                     report::ParityMarkdown(model)))
    return rc;
  return a.json.empty() ? kOk : WriteJson(record::ToJson(model), a.json);
}

int RunReport(ReportArgs a) {
  if (a.parity.empty() == a.files.empty())
    return fmt::print(stderr, "error: give files, or --parity FILE.csv\n"), kUsage;
  if (!a.parity.empty()) return RunParity(a);
  if (report::IsTraining(a.files[0])) return RunTraining(a);
  if (a.files.size() > 1 || corpus::IsJournal(a.files[0])) return RunBeside(a);
  a.options.code = !a.no_code && !a.html.empty();
  auto model = report::LoadModel(a.files[0], a.options);
  if (!model.ok()) {
    PrintError(model.error());
    return model.error().code == "AK0002" ? kFault : kUsage;
  }
  for (const std::string& what : model->dropped)
    fmt::print(stderr, "warning: left out: {}\n", base::MarkdownText(what));
  if (a.html.empty() && a.markdown.empty() && a.json.empty()) a.markdown = "-";
  if (!a.html.empty())
    if (int rc = Write(a.html, report::Html(*model))) return rc;
  if (!a.markdown.empty())
    if (int rc = Write(a.markdown, report::Markdown(*model))) return rc;
  if (a.json.empty()) return kOk;
  return WriteJson(report::ToJson(*model, report::Code::kOmit), a.json);
}
}  // namespace

static void AddReport(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ReportArgs>();
  CLI::App* c = app.add_subcommand(
      "report",
      "Show a run, a comparison of generators, or a training run, as HTML, Markdown or JSON");
  c->add_option("file", args->files,
                "File of `akgen bench run`, or verdict records (JSON, or one per line); several of "
                "them, and journals of "
                "`akgen generate`, are compared, one column per run; metrics.jsonl of `akgen lm "
                "train` become curves");
  c->add_option(
      "--parity", args->parity,
      "Measurements as `akgen calibrate` takes it: modelled against measured, instead of files");
  args->table.AddTo(*c);
  args->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kTimeout);
  c->add_option("--html", args->html, "Write one self-contained page; it needs no network");
  c->add_option("--markdown", args->markdown,
                "Write Markdown (- for standard output, which is the default)");
  c->add_option("--json", args->json,
                "Write the report's numbers and rows (- for standard output)");
  c->add_option("--run", args->options.run, "Run of the file, by id or its beginning");
  c->add_option("--title", args->options.title, "Heading (default: the file's name)");
  c->add_option("--tasks", args->options.tasks, "Count these tasks too, when no record names them")
      ->delimiter(',');
  c->add_flag("--no-code", args->no_code, "Omit the candidates' sources from the page");
  c->footer(
      "Example: akgen judge examples/kernels/fast_gelu --task FastGelu --json verdict.json\n"
      "         akgen report verdict.json --html report.html\n"
      "         akgen report direct/journal.jsonl craft/journal.jsonl --html beside.html\n"
      "         akgen report yesterday.db today.db --html beside.html\n"
      "         akgen report run/base/metrics.jsonl run/sft/metrics.jsonl --html curves.html\n"
      "         akgen report --parity mine.csv --html parity.html\n"
      "Exit code: 0 done, 2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunReport(*args); });
}

static const Command kReportCommand{140, AddReport};

}  // namespace akgen::cli
