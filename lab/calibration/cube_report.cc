#include "cube_report.h"

#include <cstdio>
#include <set>

#include "summary.h"

namespace akgen::calibration {
namespace {
using base::Json;

// Operators by what they are.
Json ByClass(const std::vector<Error>& errors) {
  std::set<std::string> groups;
  for (const Error& e : errors) groups.insert(e.row->group);
  Json out = Json::object();
  for (const std::string& group : groups) {
    const auto mine = Where(errors, [&](const Error& e) { return e.row->group == group; });
    out[group] = {{"rows", mine.size()}, {"median", Quantile(mine, 0.5)}, {"bias", Bias(mine)}};
  }
  out["all"] = {{"rows", errors.size()}, {"median", Quantile(errors, 0.5)}, {"bias", Bias(errors)}};
  return out;
}
}  // namespace

CubeReport::CubeReport(const std::string& parameters, const std::string& tables,
                       const std::string& measured, const std::string& stands,
                       const sim::TimingParameters& p)
    : rows_(CubeRows(tables)),
      operators_(CubeOperatorRows(measured, stands)),
      eager_(EagerProductRows(measured)),
      fitted_(FittedOf(parameters, FitPart::cube)),
      eager_fitted_(FittedOf(parameters, FitPart::products)) {
  RunKernels(operators_, p);
}

Json CubeReport::Errors(const sim::TimingParameters& p) const {
  const std::vector<Error> errors = Flat(Evaluate(rows_, p)), whole = Flat(Evaluate(operators_, p));
  Print(errors), Print(whole);
  Json out{
      {"rows", errors.size()}, {"median", Quantile(errors, 0.5)}, {"p90", Quantile(errors, 0.9)}};
  out["by_table"] = ByClass(errors);
  out["operators"] = ByClass(whole);
  out["eager"] = ByClass(Flat(Evaluate(eager_, p)));
  out["errors"] = RowsJson(errors), out["operator_errors"] = RowsJson(whole);
  std::vector<Error> one =
      whole;  // class for all of them: what bounds them is nearly always the memory
  for (Error& e : one) e.regime = "cube";
  out["ranges"] = RangesOf(one), out["ranges_hold"] = RangesHold(one);
  std::printf("cube: %zu numbers: median error %.2f%%, 90th percentile %.2f%%\n%s\n", errors.size(),
              100 * Quantile(errors, 0.5), 100 * Quantile(errors, 0.9),
              out["operators"].dump().c_str());
  return out;
}

Json CubeReport::Fit(sim::TimingParameters& p) const {
  const Fitter fitter(rows_, p, fitted_);
  std::set<std::string> tables;
  for (const Row& r : rows_) tables.insert(r.table);
  Json left = Json::object();
  for (const std::string& table : tables) {
    const sim::TimingParameters without = fitter.Fit(table);
    std::vector<Error> errors;
    for (const Row& r : rows_)
      if (r.table == table)
        for (Error& e : ErrorsOf(r, without)) errors.push_back(std::move(e));
    left[table] = {
        {"rows", errors.size()}, {"median", Quantile(errors, 0.5)}, {"bias", Bias(errors)}};
  }
  p = fitter.Fit();
  const Fitter eager_fitter(eager_, p, eager_fitted_);
  std::vector<Error> eager_left;
  for (const char* op : {"quant_matmul", "mha"}) {
    const sim::TimingParameters without = eager_fitter.Fit(op);
    for (const Row& r : eager_)
      if (r.group == op)
        for (Error& e : ErrorsOf(r, without)) eager_left.push_back(std::move(e));
  }
  p = eager_fitter.Fit();
  const Json values = sim::ToJson(p);
  for (const auto* list : {&fitted_, &eager_fitted_})
    for (const Fitted& f : *list)
      std::printf("  %s = %.10g\n", f.name.c_str(), values[f.name].get<double>());
  Json out = Errors(p);
  out["left_out"] = {{"tables", left},
                     {"operators", out["operators"]},
                     {"eager", ByClass(eager_left)},
                     {"eager_errors", RowsJson(eager_left)}};
  std::printf("eager of products: %s, left out %s\n", out["eager"].dump().c_str(),
              ByClass(eager_left).dump().c_str());
  std::printf("cube, left out by table: %s\n", left.dump().c_str());
  return out;
}

}  // namespace akgen::calibration
