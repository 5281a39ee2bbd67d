// `akgen calibrate`: fits the timing model to measurements.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/measured_option.h"
#include "cli/output.h"

namespace akgen::cli {
namespace {
using base::Json;

// A fit that leaves half of the rows further off than this is poor.
constexpr double kPoorFit = 0.25;

struct CalibrateArgs {
  std::string measured, out, json;
  MeasuredOption table;
  JudgingOptions judging;
};

struct Calibration {
  const sim::Refit& refit;
  record::Parity parity;  // as fitted
  record::ErrorSummary before;
  std::optional<record::ErrorSummary> left_out;  // each operator under a fit that did not see it
};

Calibration CalibrationOf(const sim::Refit& refit, const Measurements& m) {
  Calibration out{
      refit, judge::ParityOf(m.rows, m.traced, refit.after), sim::SummaryOf(refit.before), {}};
  if (!refit.left_out.empty()) out.left_out = sim::SummaryOf(refit.left_out);
  return out;
}

Json ToJson(const Calibration& c) {
  Json out = record::ToJson(c.parity);
  out["before"] = record::ToJson(c.before);
  if (c.left_out) out["left_out"] = record::ToJson(*c.left_out);
  out["kept"] = c.refit.kept, out["parameters"] = Json::array();
  for (const sim::RefitParameter& f : c.refit.fitted)
    out["parameters"].push_back({{"name", f.name},
                                 {"before", f.before},
                                 {"value", f.value},
                                 {"low", f.low},
                                 {"high", f.high}});
  return out;
}

void ShowErrors(const std::string& name, const record::ErrorQuantiles& q) {
  fmt::print("  {:<22} {:>5} {:>8.1f}% {:>8.1f}%\n", name, q.rows, 100 * q.median, 100 * q.p90);
}

void ShowCalibration(const Calibration& c) {
  for (const record::UntiedRow& row : c.parity.untied)
    fmt::print("line {} is not used: {}: {}\n", row.line, row.what, row.why);
  fmt::print("{:<16} {:>12} {:>12}   {}\n", "parameter", "before", "fitted", "without an operator");
  for (const sim::RefitParameter& p : c.refit.fitted)
    fmt::print("{:<16} {:>12.6g} {:>12.6g}   {:.6g} to {:.6g}\n", p.name, p.before, p.value, p.low,
               p.high);
  for (const std::string& name : c.refit.kept) fmt::print("{:<16} stays: no row shows it\n", name);
  fmt::print("  {:<22} {:>5} {:>9} {:>9}\n", "error", "rows", "median", "p90");
  ShowErrors("before", c.before);
  ShowErrors("fitted", c.parity.errors);
  for (const auto& [regime, q] : c.parity.errors.by_regime) ShowErrors("  " + regime, q);
  if (c.left_out) ShowErrors("left out by operator", *c.left_out);
}

int WriteTiming(const CalibrateArgs& a, const chip::Chip& chip, const sim::Refit& refit) {
  auto text = base::ReadFile(base::HomeDir() / "data" / "timing" / (chip.timing + ".toml"));
  if (!text.ok()) return PrintError(text.error()), kFault;
  auto file = sim::RefitFile(*text, refit, std::filesystem::path(a.measured).filename().string());
  if (!file.ok()) return PrintError(file.error()), kFault;
  if (auto status = base::WriteFileAtomic(a.out, *file); !status.ok())
    return PrintError(status.error()), kFault;
  fmt::print(stderr,
             "written: {}; as data/timing/NAME.toml a chip of data/chips takes it with timing = "
             "\"NAME\" and clock_mhz = "
             "{:.6g}\n",
             a.out, refit.parameters.clock_mhz);
  return kOk;
}

int RunCalibrate(const CalibrateArgs& a) {
  Measurements m;
  if (int rc = a.table.Trace(a.measured, a.judging, m)) return rc;
  const sim::Refit refit = sim::RefitTo(m.traced.kernels, m.timing, uint32_t(m.chip.aiv));
  const Calibration result = CalibrationOf(refit, m);
  if (a.json != "-") ShowCalibration(result);
  if (!a.json.empty())
    if (int rc = WriteJson(ToJson(result), a.json)) return rc;
  if (refit.fitted.empty() || sim::QuantileOf(refit.after, 0.5) > kPoorFit) {
    fmt::print(stderr, "{}; no timing file is written\n",
               refit.fitted.empty() ? "no row shows a parameter"
                                    : "the fit is poor: half of the rows are off by more");
    return kNotPassed;
  }
  return a.out.empty() ? kOk : WriteTiming(a, m.chip, refit);
}
}  // namespace

static void AddCalibrate(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<CalibrateArgs>();
  CLI::App* c = app.add_subcommand(
      "calibrate",
      "Fit launch, memory and clock frequency of the timing model to your measurements");
  c->add_option("--measured", args->measured,
                "CSV with the columns kernel (PROJECT:TASK), case and us (device time of a launch "
                "in microseconds), "
                "op_summary of msprof, PipeUtilization.csv of msopprof, or records of `--device "
                "npu`: a store of `akgen "
                "bench run`, or what `akgen judge --json` writes, one a line")
      ->required();
  args->table.AddTo(*c);
  args->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kTimeout);
  c->add_option(
      "--out", args->out,
      "Write a timing file (as in data/timing) with the fitted parameters and their errors");
  c->add_option("--json", args->json,
                "Write parameters, errors and every row (- for standard output)");
  c->footer(
      "Example: akgen calibrate --measured mine.csv --out data/timing/mine.toml\n"
      "         where mine.csv is   kernel,case,us\n"
      "                             examples/kernels/add_double_buffer:UnalignAdd,0,6.1\n"
      "         akgen calibrate --measured op_summary.csv --map Add=add:UnalignAdd --map "
      "Gelu=gelu:FastGelu:3\n"
      "Rows whose kernel is not found or does not run are listed and not used.\n"
      "Exit code: 0 fitted, 1 no row determines a parameter or the fit is poor (median error above "
      "25 %),\n"
      "           2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunCalibrate(*args); });
}

static const Command kCalibrateCommand{50, AddCalibrate};

}  // namespace akgen::cli
