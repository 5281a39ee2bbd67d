#include "fit.h"

#include <algorithm>
#include <cmath>

#include "base/toml.h"
#include "sim/timing/descend.h"

namespace akgen::calibration {
namespace {
using base::Json;
using sim::TimingParameters;

// Whole operators ran kernels that are not ours: one of them says less than a number of the tables,
// a small one, where little but launch and memory is at work, more than a large one. `errors`: at
// the start of the fit. Where instructions bound the time of ours it says nothing of launch and
// memory, whatever the operator's own took.
double WeightOf(const Row& r, const std::vector<Error>& errors) {
  if (!r.fitted) return 0;
  if (r.eager) return r.weight;
  if (!r.Whole()) return 1;
  if (errors[0].regime == "compute") return 0;
  return r.measured[0].second < 15 ? 0.3 : 0.1;
}

double LossOf(const std::vector<Error>& errors, double weight) {
  double sum = 0;
  for (const Error& e : errors) {
    const double d = std::log(std::max(e.modelled, 1e-9) / e.measured);
    // One that cannot be met must not drag the others along.
    sum += std::min(d * d, e.row->Whole() || e.row->eager ? 0.25 : 0.09) * weight;
  }
  return sum;
}

// The steps of the published ladder each made the Add faster: what the errors of single steps, a
// percent or two, do not hold.
double OutOfOrder(const Board& board) {
  constexpr double kEach = 0.05;
  double sum = 0, before = 0;
  for (const auto& errors : board) {
    if (errors.empty() || errors[0].row->table != "add_high_performance") continue;
    for (const Error& e : errors) {
      if (e.quantity != "task") continue;
      if (before > 0 && e.modelled >= before) sum += kEach;
      before = e.modelled;
    }
  }
  return sum;
}

double Loss(const Board& board, const std::vector<double>& weights, const std::string& without) {
  double sum = without == "add_high_performance" ? 0 : OutOfOrder(board);
  for (size_t r = 0; r < board.size(); ++r)
    if (!board[r].empty() && board[r][0].row->group != without) sum += LossOf(board[r], weights[r]);
  return sum;
}

bool Moved(const std::vector<Error>& a, const std::vector<Error>& b) {
  for (size_t e = 0; e < a.size(); ++e)
    if (std::fabs(a[e].modelled / b[e].modelled - 1) > 1e-4) return true;
  return false;
}
}  // namespace

std::vector<Fitted> FittedOf(const std::string& text, FitPart part) {
  std::vector<Fitted> out;
  toml::table t = toml::parse(text).table();
  for (const auto& [name, node] : *t["parameters"].as_table())
    if ((*node.as_table())["kind"].value_or(std::string()) == "fitted" &&
        (*node.as_table())["eager"].value_or(false) == (part == FitPart::eager) &&
        (*node.as_table())["products"].value_or(false) == (part == FitPart::products) &&
        (*node.as_table())["cube"].value_or(false) == (part == FitPart::cube))
      out.push_back({std::string(name.str()), (*node.as_table())["start"].value_or(0.0),
                     (*node.as_table())["operators"].value_or(false)});
  return out;
}

Board Evaluate(const std::vector<Row>& rows, const TimingParameters& p) {
  Board out;
  for (const Row& r : rows) out.push_back(ErrorsOf(r, p));
  return out;
}

std::vector<Error> Flat(const Board& board) {
  std::vector<Error> out;
  for (const auto& errors : board) out.insert(out.end(), errors.begin(), errors.end());
  return out;
}

Fitter::Fitter(const std::vector<Row>& rows, const TimingParameters& fixed,
               std::vector<Fitted> fitted)
    : rows_(rows), fitted_(std::move(fitted)) {
  start_ = sim::ToJson(fixed);
  for (const Fitted& f : fitted_) sim::NumberAt(start_, f.name) = f.start;
  for (const Row& r : rows_) {
    board_.push_back(ErrorsOf(r, sim::TimingFromJson(start_)));
    weights_.push_back(WeightOf(r, board_.back()));
  }
  for (const Fitted& f : fitted_) {
    Json other = start_;
    sim::NumberAt(other, f.name) *= 1.12;
    const TimingParameters p = sim::TimingFromJson(other);
    std::vector<bool>& moves = moves_.emplace_back(rows_.size(), false);
    for (size_t r = 0; r < rows_.size(); ++r)
      moves[r] = rows_[r].Whole() ? f.operators : Moved(ErrorsOf(rows_[r], p), board_[r]);
  }
}

TimingParameters Fitter::Fit(const std::string& without, const TimingParameters* from) const {
  Board board = from ? Evaluate(rows_, *from) : board_;
  double loss = Loss(board, weights_, without);
  std::vector<std::string> names;
  std::vector<size_t> of;  // by name: which of the fitted
  for (size_t i = 0; i < fitted_.size(); ++i)
    if (!from || fitted_[i].operators) names.push_back(fitted_[i].name), of.push_back(i);
  const std::vector<double> steps = from ? std::vector{0.05} : std::vector{0.2, 0.05};
  return sim::TimingFromJson(sim::Descend(
      from ? sim::ToJson(*from) : start_, names, steps, [&](const Json& trial, size_t name) {
        Board next = board;
        const TimingParameters p = sim::TimingFromJson(trial);
        for (size_t r = 0; r < rows_.size(); ++r)
          if (moves_[of[name]][r] && rows_[r].group != without && weights_[r] > 0)
            next[r] = ErrorsOf(rows_[r], p);
        const double l = Loss(next, weights_, without);
        if (l >= loss - 1e-12) return false;
        loss = l, board = std::move(next);
        return true;
      }));
}

}  // namespace akgen::calibration
