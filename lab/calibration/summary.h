// What is said of many errors at once.
#pragma once
#include <functional>
#include <vector>

#include "rows.h"

namespace akgen::calibration {

double Quantile(const std::vector<Error>& errors,
                double q);  // of |relative error|; 0: there are none
std::vector<Error> Where(const std::vector<Error>& errors,
                         const std::function<bool(const Error&)>& holds);
double Bias(const std::vector<Error>& errors);  // modelled over measured, geometric mean
void Print(const std::vector<Error>& errors);
// {rows, median, p90, bias, rank, …, by_regime}
base::Json Summary(const std::vector<Error>& errors);
// Spearman's rank correlation of measured and modelled, of the rows (RowsJson) measured below so
// many microseconds.
double RankBelow(double us, const std::vector<base::Json>& rows);
base::Json RowsJson(const std::vector<Error>& errors);
base::Json EagerSummary(const std::vector<Error>& errors);  // by size class
// Measured over modelled by regime or size class, the 5th and the 95th percentile:
// data/timing/errors.toml.
base::Json RangesOf(const std::vector<Error>& errors);
// How many rows lie within these ranges, and within what the rows of the other operators alone
// would give: {rows, own, others}.
base::Json RangesHold(const std::vector<Error>& errors);

}  // namespace akgen::calibration
