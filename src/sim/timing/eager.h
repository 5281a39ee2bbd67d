// The time of a framework's kernels: the model of the eager baseline, fitted to measured operators
// (docs/timing.md).
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "sim/timing/parameters.h"

namespace akgen::sim {

// One launch, as far as its time turns on it.
struct EagerKernel {
  double bytes = 0;      // read and written
  double elements = 0;   // of its largest operand
  double passes = 0;     // instructions over all of them, at 64 elements a cycle and core
  bool reduces = false;  // rows or more become one number
  double products = 0;   // cycles of one Cube core at its full rate
};

// Cycles that one Cube core needs for so many multiplications and additions of operands of so many
// bytes.
double ProductCycles(double macs, double bytes);

// Microseconds on a chip with so many vector cores, and half as many Cube cores. The framework
// starts all of them.
double EagerUs(const EagerKernel& k, const TimingParameters& p, uint32_t cores);

// "below 2^16", "2^16 to 2^22" or "above 2^22".
const char* EagerSizeOf(double elements);

// data/timing/eager.toml: what operators cost, which ones the framework has one kernel for, what
// was measured.
struct EagerTable {
  // A kernel that stands for several operators of a reference, however they are spelled.
  struct Fused {
    std::string name;
    std::vector<std::set<std::string>>
        must;  // one of each set is in it; the first is where looking for it begins
    std::map<std::string, int> may;  // operators and how many of each at most
    size_t outputs = 1;              // values that leave it at most
    int least = 1;                   // of the first set's operators, so many at least
  };
  // An operator of data/timing/measured_910b2.csv.
  struct Measured {
    std::vector<std::string> ops;
    double writes = 1,
           writes_elements =
               0;  // bytes written: so often its first input, and so many per element of it
  };
  std::map<std::string, double> passes;  // of operators that take more than one
  std::set<std::string> reduces;
  std::set<std::string>
      casts;  // operators before which the framework converts an input of another type
  std::vector<Fused> fused;  // tried in this order
  std::map<std::string, Measured> measured;
  std::string text;  // of the file

  double PassesOf(const std::string& op) const;
};

// AK0121: the file is broken.
base::Result<EagerTable> ParseEager(std::string_view toml, const std::string& where);
base::Result<EagerTable> LoadEager();

}  // namespace akgen::sim
