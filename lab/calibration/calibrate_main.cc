// Fits the timing model's parameters of kind "fitted" to published measurements and prints the
// error of every one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/files.h"
#include "cube_report.h"
#include "fit.h"
#include "summary.h"

namespace akgen::calibration {
namespace {
using base::Json;
using sim::TimingParameters;

constexpr const char* kUsage =
    "usage: calibrate [--fit] [--check] [--operators] [--eager] [--cube] [--json FILE]\n"
    "Without options: the error of every row of the published tables under data/timing/a2.toml.\n"
    "  --operators  and of the kernels that stand for measured framework operators\n"
    "  --fit    fit the parameters of kind \"fitted\" and print them and their errors, left-out "
    "errors too\n"
    "  --check  fit, and compare with the values in the file\n"
    "  --eager  fit the eager baseline alone, over the clock as it stands; with --check compare "
    "its values\n"
    "  --cube   the Cube core's pipes alone, over the clock as it stands; with --fit or --check "
    "fit them\n"
    "  --kernels [--json FILE] [OPERATOR]  measured products as kernel files: none is fitted\n"
    "  --json   write {rows, median_error, p90_error, reproduced, left_out, eager, cube, "
    "rank_below_10us, …} to FILE\n";

bool Published(const Error& e) { return !e.row->Whole(); }
bool Whole(const Error& e) { return e.row->Whole(); }

struct Options {
  bool fit = false, check = false, operators = false, eager = false, cube = false;
  std::string json;
};

// 0, or the exit status: usage.
int Parse(int argc, char** argv, Options& o) {
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--fit")
      o.fit = o.operators = true;
    else if (a == "--check")
      o.fit = o.check = o.operators = true;
    else if (a == "--operators")
      o.operators = true;
    else if (a == "--eager")
      o.eager = true;
    else if (a == "--cube")
      o.cube = true;
    else if (a == "--json" && i + 1 < argc)
      o.json = argv[++i];
    else
      return std::fputs(kUsage, stderr), 2;
  }
  return 0;
}

using ByGroup = std::map<std::string, TimingParameters>;

// Errors of the rows of each group under a fit that did not see them; `fits`: these fits.
std::vector<Error> LeftOut(const std::vector<Row>& rows, const Fitter& fitter,
                           const TimingParameters& now, ByGroup& fits) {
  std::vector<std::string> groups;
  for (const Row& r : rows)
    if (std::find(groups.begin(), groups.end(), r.group) == groups.end()) groups.push_back(r.group);
  std::vector<Error> out;
  for (const std::string& group : groups) {
    const bool whole = std::any_of(rows.begin(), rows.end(),
                                   [&](const Row& r) { return r.group == group && r.Whole(); });
    // A table alone may be what shows a parameter: its fit begins again; an operator moves the
    // values little.
    const TimingParameters p = fitter.Fit(group, whole ? &now : nullptr);
    fits[group] = p;
    for (const Row& r : rows)
      if (r.group == group)
        for (Error& e : ErrorsOf(r, p)) out.push_back(std::move(e));
  }
  return out;
}

// The same for the eager baseline: its own numbers fitted without the operator, over a clock that
// did not see it either.
std::vector<Error> EagerLeftOut(const std::vector<Row>& rows, const std::vector<Fitted>& fitted,
                                const TimingParameters& now, const ByGroup& fits) {
  std::set<std::string> groups;
  for (const Row& r : rows) groups.insert(r.group);
  std::vector<Error> out;
  for (const std::string& group : groups) {
    const auto clock = fits.find(group);
    const TimingParameters p =
        Fitter(rows, clock == fits.end() ? now : clock->second, fitted).Fit(group);
    for (const Row& r : rows)
      if (r.group == group)
        for (Error& e : ErrorsOf(r, p)) out.push_back(std::move(e));
  }
  return out;
}

void PrintFitted(const std::vector<Fitted>& fitted, const TimingParameters& p) {
  const Json values = sim::ToJson(p);
  for (const Fitted& f : fitted)
    std::printf("  %s = %.10g\n", f.name.c_str(), values[f.name].get<double>());
  std::fflush(stdout);
}

int Write(const Options& o, const Json& out, bool reproduced) {
  if (!o.json.empty())
    if (auto s = base::WriteFileAtomic(o.json, out.dump(1) + "\n"); !s.ok()) return 3;
  return o.check && !reproduced ? 1 : 0;
}

// The eager baseline alone: takes no time, and no kernel is run.
int EagerAlone(const Options& o, const std::vector<Row>& rows, const std::vector<Fitted>& fitted,
               const TimingParameters& clock) {
  const TimingParameters now = Fitter(rows, clock, fitted).Fit();
  const bool same = sim::ToJson(now) == sim::ToJson(clock);
  const std::vector<Error> left = EagerLeftOut(rows, fitted, clock, {});
  PrintFitted(fitted, now);
  Print(left);
  const Json out{{"eager", EagerSummary(left)},
                 {"eager_fitted", EagerSummary(Flat(Evaluate(rows, now)))},
                 {"eager_left_out_errors", RowsJson(left)},
                 {"ranges", {{"eager", RangesOf(left)}}},
                 {"ranges_hold", {{"eager", RangesHold(left)}}},
                 {"reproduced", same}};
  std::printf("left out: %s\nfitted: %s\n", out["eager"].dump(1).c_str(),
              out["eager_fitted"].dump(1).c_str());
  return Write(o, out, same);
}

int CubeAlone(const Options& o, const CubeReport& cube, const TimingParameters& parameters) {
  TimingParameters now = parameters;
  Json out{{"cube", o.fit ? cube.Fit(now) : cube.Errors(now)}};
  const bool same = sim::ToJson(now) == sim::ToJson(parameters);
  out["reproduced"] = same;
  return Write(o, out, same);
}

int Main(int argc, char** argv) {
  Options o;
  if (argc == 2 && (!std::strcmp(argv[1], "--help") || !std::strcmp(argv[1], "-h")))
    return std::fputs(kUsage, stdout), 0;
  if (int status = Parse(argc, argv, o)) return status;
  auto folder = base::HomeDir() / "data" / "timing";
  auto text = base::ReadFile(folder / "a2.toml"),
       tables = base::ReadFile(folder / "measured_a2.toml"),
       operators = base::ReadFile(folder / "measured_910b2.csv"),
       stands = base::ReadFile(folder / "stands_for.csv");
  if (!text.ok() || !tables.ok() || !operators.ok() || !stands.ok())
    return std::fputs("data/timing is incomplete\n", stderr), 3;
  auto parameters = sim::ParseTiming(*text, "data/timing/a2.toml");
  if (!parameters.ok())
    return std::fprintf(stderr, "%s\n", parameters.error().ToString().c_str()), 3;
  std::vector<Row> rows = PublishedRows(*tables);
  if (o.operators)
    for (Row& r : OperatorRows(*operators, *stands)) rows.push_back(std::move(r));

  const auto table = sim::LoadEager();
  if (!table.ok()) return std::fprintf(stderr, "%s\n", table.error().ToString().c_str()), 3;
  const std::vector<Row> eager = EagerRows(*operators, *stands, *table);
  const std::vector<Fitted> fitted = FittedOf(*text, FitPart::clock),
                            eager_fitted = FittedOf(*text, FitPart::eager);
  if (o.eager) return EagerAlone(o, eager, eager_fitted, *parameters);
  const CubeReport cube(*text, *tables, *operators, *stands, *parameters);
  if (o.cube) return CubeAlone(o, cube, *parameters);
  RunKernels(rows, *parameters);

  TimingParameters now = *parameters;
  Json out, left_by_table = Json::object();
  if (o.fit) {
    const Fitter fitter(rows, *parameters, fitted);
    now = fitter.Fit();
    out["cube"] = cube.Fit(now);
    now = Fitter(eager, now, eager_fitted).Fit();
    PrintFitted(fitted, now), PrintFitted(eager_fitted, now);
    ByGroup fits;
    const std::vector<Error> left = LeftOut(rows, fitter, now, fits);
    const std::vector<Error> eager_left = EagerLeftOut(eager, eager_fitted, now, fits);
    out["eager"] = EagerSummary(eager_left);
    out["eager_left_out_errors"] = RowsJson(eager_left);
    std::printf("eager, left out: %s\n", out["eager"].dump(1).c_str());
    for (const char* table : {"bank_conflict_ub", "add_high_performance", "data_copy"})
      left_by_table[table] =
          Quantile(Where(left, [&](const Error& e) { return e.row->table == table; }), 0.5);
    out["left_out"] = Summary(Where(left, Whole));
    out["left_out_errors"] = RowsJson(Where(left, Whole));
    out["rank_below_10us"] =
        RankBelow(10, {out["left_out_errors"], out["cube"]["operator_errors"]});
    out["ranges"] = {{"clock", RangesOf(Where(left, Whole))}, {"eager", RangesOf(eager_left)}};
    out["ranges"]["clock"].update(out["cube"]["ranges"]);
    out["ranges_hold"] = {{"clock", RangesHold(Where(left, Whole))},
                          {"eager", RangesHold(eager_left)}};
    std::printf("left out: %s\n%s\n", left_by_table.dump().c_str(),
                out["left_out"].dump(1).c_str());
  }
  const bool same = sim::ToJson(now) == sim::ToJson(*parameters);
  const std::vector<Error> errors = Flat(Evaluate(rows, now)), published = Where(errors, Published);
  Print(errors);
  std::printf("%zu numbers: median error %.2f%%, 90th percentile %.2f%%\n", published.size(),
              100 * Quantile(published, 0.5), 100 * Quantile(published, 0.9));
  out.update({{"rows", published.size()},
              {"median_error", Quantile(published, 0.5)},
              {"p90_error", Quantile(published, 0.9)},
              {"fitted", fitted.size() + eager_fitted.size() + cube.fitted()},
              {"left_out_median_error", left_by_table},
              {"errors", RowsJson(published)}});
  if (o.operators) {
    out["operators"] = Summary(Where(errors, Whole));
    out["operator_errors"] = RowsJson(Where(errors, Whole));
    std::printf("operators: %s\n", out["operators"].dump(1).c_str());
    if (!o.fit) out["cube"] = cube.Errors(now);
    out["eager_fitted"] = EagerSummary(Flat(Evaluate(eager, now)));
    std::printf("eager: %s\n", out["eager_fitted"].dump(1).c_str());
  }
  if (o.fit) out["reproduced"] = same;
  return Write(o, out, same);
}
}  // namespace
}  // namespace akgen::calibration

int main(int argc, char** argv) { return akgen::calibration::Main(argc, argv); }
