// `akgen explain`: the findings of a record beside the sources that they are about.
#include <fmt/core.h>

#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/sources.h"
#include "report/explain.h"
#include "report/explained.h"

namespace akgen::cli {
namespace {
struct ExplainArgs {
  std::string record, project;
  bool warnings = false;
};

void Show(const report::Explained& read, const ExplainArgs& a) {
  const report::ReadSource source = SourcesOf(!a.project.empty() ? a.project : read.project);
  for (const auto& m : read.findings.all()) {
    std::string cases;
    for (const auto& id : m.cases)
      if (!id.empty()) cases += (cases.empty() ? "" : ", ") + id;
    if (!cases.empty()) fmt::print("case {}\n", cases);
    fmt::print("{}\n", report::Explain(m.finding, source));
  }
  if (read.findings.all().empty()) fmt::print("no findings: {}\n", read.verdict);
}

int RunExplain(const ExplainArgs& a) {
  const auto text = base::ReadFile(a.record);
  const auto read = text.ok() ? report::ReadExplained(*text, a.record, a.warnings) : text.error();
  if (!read.ok()) {
    PrintError(read.error());
    return kUsage;
  }
  for (const report::Explained& one : *read) Show(one, a);
  return kOk;
}
}  // namespace

namespace {
void AddExplain(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<ExplainArgs>();
  CLI::App* c = app.add_subcommand(
      "explain", "Show a record's findings beside the sources that they are about");
  c->add_option("record", args->record, "File that --json of judge, run or exec wrote")->required();
  c->add_option("--project", args->project,
                "Where the sources are; default: where the record says");
  c->add_flag("--warnings", args->warnings, "Warnings too");
  c->footer(
      "Example: akgen judge examples/kernels/wrong_missing_handoff --task UnalignAdd --edits "
      "--json verdict.json\n"
      "         akgen explain verdict.json\n"
      "Exit code: 0, 2 usage error.");
  c->callback([args, &exit_code] { exit_code = RunExplain(*args); });
}
}  // namespace
static const Command kExplainCommand{23, AddExplain};

}  // namespace akgen::cli
