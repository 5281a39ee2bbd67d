// The Cube core's rows: fitted over the clock of the Vector cores, which they do not move.
#pragma once
#include <string>
#include <vector>

#include "fit.h"

namespace akgen::calibration {

class CubeReport {
 public:
  // The texts of a2.toml, measured_a2.toml, measured_910b2.csv and stands_for.csv.
  CubeReport(const std::string& parameters, const std::string& tables, const std::string& measured,
             const std::string& stands, const sim::TimingParameters& p);
  size_t fitted() const { return fitted_.size() + eager_fitted_.size(); }
  // Prints and returns {rows, median, p90, by_table, operators: {class: {rows, median, bias}},
  // ranges, ranges_hold, errors, …}.
  base::Json Errors(const sim::TimingParameters& p) const;
  // The same after a fit, which replaces the values in `p`; and `left_out`: each table of the
  // published ones under a fit without it, by class the operators, on which nothing is fitted, and
  // the eager baseline's products, each operator under a fit to the other.
  base::Json Fit(sim::TimingParameters& p) const;

 private:
  std::vector<Row> rows_, operators_, eager_;
  std::vector<Fitted> fitted_, eager_fitted_;
};

}  // namespace akgen::calibration
