#include "cli/measured_option.h"

#include "base/files.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "judge/time/timing.h"
#include "report/report.h"

namespace akgen::cli {

void MeasuredOption::AddTo(CLI::App& command) {
  command
      .add_option("--map", names,
                  "NAME=PROJECT:TASK[:CASE], repeatable: the kernel that a profiler calls NAME (Op "
                  "Name or OP Type); "
                  "without a case the one with the row's shapes")
      ->check([](const std::string& text) {
        return judge::ParseKernelName(text) ? "" : "`" + text + "` is not NAME=PROJECT:TASK[:CASE]";
      });
}

base::Result<std::vector<judge::MeasuredRow>> MeasuredOption::Read(const std::string& file) const {
  auto text = base::ReadFile(file);
  if (!text.ok()) return text.error();
  if (text->starts_with("SQLite format 3") || text->starts_with("{") || text->starts_with("[")) {
    auto records = report::RecordsIn(file);
    if (!records.ok()) return records.error();
    return judge::MeasuredIn(*records, file);
  }
  std::vector<judge::KernelName> known;
  for (const std::string& name : names) known.push_back(*judge::ParseKernelName(name));
  return judge::ReadMeasured(*text, file, known);
}

int MeasuredOption::Trace(const std::string& file, const JudgingOptions& judging,
                          Measurements& out) const {
  auto chip = chip::LoadChip(judging.chip);
  if (!chip.ok()) return PrintError(chip.error()), kUsage;
  auto timing = judge::TimingOf(*chip);
  if (!timing.ok()) return PrintError(timing.error()), kUsage;
  auto rows = Read(file);
  if (!rows.ok()) return PrintError(rows.error()), kUsage;
  for (judge::MeasuredRow& row : *rows)
    if (!row.soc.empty() && row.soc != chip->soc && row.untied.empty())
      row.untied = "measured on " + row.soc + ", and --chip is " + chip->soc;
  auto judge = judge::Judge::Start();
  if (!judge.ok()) return PrintError(judge.error()), kFault;
  judge::Options options;
  judging.Into(options);
  Progress bar;
  options.progress = bar.Steps();
  out.traced = judge::TraceRows(*judge, *rows, options);
  bar.End();
  out.chip = std::move(*chip), out.timing = std::move(*timing), out.rows = std::move(*rows);
  return kOk;
}

}  // namespace akgen::cli
