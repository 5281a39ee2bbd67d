// The fit: coordinate descent from each parameter's start.
#pragma once
#include <string>
#include <vector>

#include "rows.h"

namespace akgen::calibration {

using Board = std::vector<std::vector<Error>>;  // errors by row

struct Fitted {
  std::string name;
  double start;
  bool operators;  // whole operators have a say in it: launch and memory
};

// What is fitted by itself, over what comes before it: the clock of the Vector cores and the
// memory, the Cube core's pipes, the eager baseline, and that of products.
enum class FitPart : uint8_t { clock, cube, eager, products };

// The parameters of kind "fitted" of a timing file, in its order, and where their fit begins.
std::vector<Fitted> FittedOf(const std::string& toml, FitPart part);

Board Evaluate(const std::vector<Row>& rows, const sim::TimingParameters& p);
std::vector<Error> Flat(const Board& board);

// Few parameters, each with its own rows, in shrinking steps. Deterministic.
class Fitter {
 public:
  Fitter(const std::vector<Row>& rows, const sim::TimingParameters& fixed,
         std::vector<Fitted> fitted);
  // Without the rows of a group. With `from` only what whole operators have a say in is fitted,
  // from those values; else everything, from each parameter's start.
  sim::TimingParameters Fit(const std::string& without = "",
                            const sim::TimingParameters* from = nullptr) const;

 private:
  const std::vector<Row>& rows_;
  std::vector<Fitted> fitted_;
  base::Json start_;
  Board board_;                           // at the start
  std::vector<double> weights_;           // by row
  std::vector<std::vector<bool>> moves_;  // by parameter, by row: it has a say in it
};

}  // namespace akgen::calibration
