// The measured rows, the kernels that stand for them and what the model says of them.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "sim/timing/eager.h"
#include "sim/timing/replay.h"
#include "sim/trace/trace.h"

namespace akgen::calibration {

// One launch of a row: run on 1/scale of the row's data. Traces are made once.
struct Pass {
  std::function<void()> kernel;
  uint32_t cores = 1;
  sim::Trace trace{0, 0};  // of a Cube kernel there from the beginning
};

struct Row {
  std::string table,
      name;  // published tables by their name; whole operators by "operator" and "name, case"
  std::string group;  // what is left out together: the table, or the operator
  double scale = 1, l2_share = 1;
  std::vector<std::pair<std::string, double>>
      measured;              // quantity, value; whole operators have "task" alone
  std::vector<Pass> passes;  // whole operators: one per device kernel
  double cycles_of = 0;      // bank rows: instructions whose mean is meant
  int launches = 1;          // device kernels of the row
  bool fitted = true;
  bool cube = false;  // of the Cube core: fitted by themselves, what the vector rows fix stays
  bool warm = false;  // L2 holds what the row's part of the data is, as it does of the whole for
                      // most of the time
  std::optional<sim::EagerKernel> eager;  // a framework's kernel, nothing is run
  double elements = 0;                    // eager: of its largest operand
  double weight = 1;                      // eager: in the fit
  bool Whole() const { return table == "operator"; }
};

struct Error {
  const Row* row;
  std::string quantity, regime;
  double measured, modelled;
  double Relative() const { return modelled / measured - 1; }
};

// Rows of measured_a2.toml and of measured_910b2.csv with stands_for.csv, in the order of the
// files.
std::vector<Row> PublishedRows(const std::string& toml);
std::vector<Row> CubeRows(const std::string& toml);
std::vector<Row> OperatorRows(const std::string& measured_csv, const std::string& stands_csv);
std::vector<Row> CubeOperatorRows(const std::string& measured_csv, const std::string& stands_csv);

// Rows of measured_910b2.csv that the framework ran as one kernel, as the eager baseline sees them:
// by the table's `measured`. Every operator weighs as much as every other.
std::vector<Row> EagerRows(const std::string& measured_csv, const std::string& stands_csv,
                           const sim::EagerTable& table);

// Of quant_matmul and mha: products as the eager baseline sees them.
std::vector<Row> EagerProductRows(const std::string& measured_csv);

// Runs every kernel once. Ends the process where one does not run.
void RunKernels(std::vector<Row>& rows, const sim::TimingParameters& p);

// What the model says of a row.
std::vector<Error> ErrorsOf(const Row& r, const sim::TimingParameters& p);

uint8_t* Memory();  // Global Memory that the kernels use

// Rows of a CSV file as maps from its header's names. Ends the process where it is broken.
std::vector<std::map<std::string, std::string>> ReadCsv(const std::string& text);

}  // namespace akgen::calibration
