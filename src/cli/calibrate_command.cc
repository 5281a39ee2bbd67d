// `akgen calibrate`: fits the timing model to measurements.
#include <fmt/core.h>

#include <filesystem>
#include <memory>

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

Json CalibrationJson(const sim::Refit& refit, const std::vector<judge::MeasuredRow>& rows,
                     const judge::TracedRows& traced) {
  Json out = judge::ParityOf(rows, traced, refit.after);
  out["before"] = sim::SummaryOf(refit.before);
  if (!refit.left_out.empty()) out["left_out"] = sim::SummaryOf(refit.left_out);
  out["kept"] = refit.kept, out["parameters"] = Json::array();
  for (const sim::RefitParameter& f : refit.fitted)
    out["parameters"].push_back(
        {{"name", f.name}, {"before", f.before}, {"value", f.value}, {"low", f.low}, {"high", f.high}});
  return out;
}

void ShowSummary(const char* name, const Json& s) {
  fmt::print("  {:<22} {:>5} {:>8.1f}% {:>8.1f}%\n", name, s["rows"].get<size_t>(), 100 * s["median"].get<double>(),
             100 * s["p90"].get<double>());
}

void ShowCalibration(const Json& c) {
  for (const Json& row : c["untied"])
    fmt::print("line {} is not used: {}: {}\n", row["line"].get<int>(), row["what"].get<std::string>(),
               row["why"].get<std::string>());
  fmt::print("{:<16} {:>12} {:>12}   {}\n", "parameter", "before", "fitted", "without an operator");
  for (const Json& p : c["parameters"])
    fmt::print("{:<16} {:>12.6g} {:>12.6g}   {:.6g} to {:.6g}\n", p["name"].get<std::string>(),
               p["before"].get<double>(), p["value"].get<double>(), p["low"].get<double>(), p["high"].get<double>());
  for (const Json& name : c["kept"]) fmt::print("{:<16} stays: no row shows it\n", name.get<std::string>());
  fmt::print("  {:<22} {:>5} {:>9} {:>9}\n", "error", "rows", "median", "p90");
  ShowSummary("before", c["before"]);
  ShowSummary("fitted", c["errors"]);
  for (const auto& [regime, s] : c["errors"]["by_regime"].items()) ShowSummary(("  " + regime).c_str(), s);
  if (c.contains("left_out")) ShowSummary("left out by operator", c["left_out"]);
}

int WriteTiming(const CalibrateArgs& a, const chip::Chip& chip, const sim::Refit& refit) {
  auto text = base::ReadFile(base::HomeDir() / "data" / "timing" / (chip.timing + ".toml"));
  if (!text.ok()) return PrintError(text.error()), kFault;
  auto file = sim::RefitFile(*text, refit, std::filesystem::path(a.measured).filename().string());
  if (!file.ok()) return PrintError(file.error()), kFault;
  if (auto status = base::WriteFileAtomic(a.out, *file); !status.ok()) return PrintError(status.error()), kFault;
  fmt::print(
      stderr,
      "written: {}; as data/timing/NAME.toml a chip of data/chips takes it with timing = \"NAME\" and clock_mhz = "
      "{:.6g}\n",
      a.out, refit.parameters.clock_mhz);
  return kOk;
}

int RunCalibrate(const CalibrateArgs& a) {
  Measurements m;
  if (int rc = a.table.Trace(a.measured, a.judging, m)) return rc;
  const sim::Refit refit = sim::RefitTo(m.traced.kernels, m.timing, uint32_t(m.chip.aiv));
  const Json result = CalibrationJson(refit, m.rows, m.traced);
  if (a.json != "-") ShowCalibration(result);
  if (!a.json.empty())
    if (int rc = WriteJson(result, a.json)) return rc;
  if (refit.fitted.empty() || sim::QuantileOf(refit.after, 0.5) > kPoorFit) {
    fmt::print(stderr, "{}; no timing file is written\n",
               refit.fitted.empty() ? "no row shows a parameter" : "the fit is poor: half of the rows are off by more");
    return kNotPassed;
  }
  return a.out.empty() ? kOk : WriteTiming(a, m.chip, refit);
}
}  // namespace

static void AddCalibrate(CLI::App& app, int& exit_code) {
  auto args = std::make_shared<CalibrateArgs>();
  CLI::App* c = app.add_subcommand("calibrate",
                                   "Fit launch, memory and clock frequency of the timing model to your measurements");
  c->add_option("--measured", args->measured,
                "CSV with the columns kernel (PROJECT:TASK), case and us (device time of a launch in microseconds), "
                "op_summary of msprof, or PipeUtilization.csv of msopprof")
      ->required();
  args->table.AddTo(*c);
  args->judging.AddTo(*c, JudgingOptions::kChip | JudgingOptions::kTimeout);
  c->add_option("--out", args->out,
                "Write a timing file (as in data/timing) with the fitted parameters and their errors");
  c->add_option("--json", args->json, "Write parameters, errors and every row (- for standard output)");
  c->footer(
      "Example: akgen calibrate --measured mine.csv --out data/timing/mine.toml\n"
      "         where mine.csv is   kernel,case,us\n"
      "                             examples/kernels/add_double_buffer:UnalignAdd,0,6.1\n"
      "         akgen calibrate --measured op_summary.csv --map Add=add:UnalignAdd --map Gelu=gelu:FastGelu:3\n"
      "Rows whose kernel is not found or does not run are listed and not used.\n"
      "Exit code: 0 fitted, 1 no row determines a parameter or the fit is poor (median error above 25 %),\n"
      "           2 usage error, 3 internal error.");
  c->callback([args, &exit_code] { exit_code = RunCalibrate(*args); });
}

static const Command kCalibrateCommand{50, AddCalibrate};

}  // namespace akgen::cli
