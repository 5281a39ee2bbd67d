// `akgen parity`: cases that the simulated chip and a real device disagree on.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "report/parity_case.h"
#include "report/report.h"
#include "task/task.h"

namespace akgen::cli {
namespace {
struct ParityExportArgs {
  std::string file, out;
  std::vector<std::string> tasks, cases;
};

bool IsNamed(const std::vector<std::string>& names, const std::string& one) {
  return names.empty() || std::find(names.begin(), names.end(), one) != names.end();
}

int RunParityExport(const ParityExportArgs& a) {
  auto records = report::RecordsIn(a.file);
  if (!records.ok()) return PrintError(records.error()), kUsage;
  size_t written = 0;
  for (const report::ParityCase& one : report::DisagreementsIn(*records)) {
    if (!IsNamed(a.tasks, one.row.task) || !IsNamed(a.cases, one.row.case_id)) continue;
    auto task = task::LoadTask(one.row.task);
    const std::filesystem::path folder = std::filesystem::path(a.out) / one.FolderName();
    auto done =
        task.ok() ? report::WriteParityCase(one, task->folder, folder) : base::Status(task.error());
    if (!done.ok()) return PrintError(done.error()), kUsage;
    fmt::print("{}: {} on the chip, {} on the device\n", folder.string(), one.row.chip,
               one.row.device);
    ++written;
  }
  if (!written) fmt::print("no disagreement\n");
  return kOk;
}
}  // namespace

static void AddParity(CLI::App& app, int& exit_code) {
  CLI::App* parity =
      app.add_subcommand("parity", "Disagreements between the simulated chip and a real device");
  parity->require_subcommand(1);
  auto args = std::make_shared<ParityExportArgs>();
  CLI::App* c = parity->add_subcommand(
      "export", "Write each disagreement as a small folder that reproduces it");
  c->add_option("file", args->file,
                "Store of `akgen bench run --device sim,npu`, or records of `akgen judge --json`")
      ->required();
  c->add_option("--out", args->out, "Folder to write below")->required();
  c->add_option("--task", args->tasks, "Only these tasks")->delimiter(',');
  c->add_option("--case", args->cases, "Only these cases")->delimiter(',');
  c->footer(
      "Example: akgen parity export run.db --out disagreements\n"
      "Exit code: 0 (also without a disagreement), 2 usage error.");
  c->callback([args, &exit_code] { exit_code = RunParityExport(*args); });
}

static const Command kParityCommand{145, AddParity};

}  // namespace akgen::cli
