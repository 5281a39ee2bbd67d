// Random compositions of operators: what a reference computes, as a graph of symbolic shapes that becomes a graph record
// (record/graph.h), a planner's task, TorchScript text and a case's inputs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "craft/plan/plan.h"

namespace akgen::corpus {

// A dimension by its letter: 1, B, A, R, C (the last one), D (2 C).
using SymbolicShape = std::string;
struct Extents {
  int64_t b = 1, a = 1, r = 1, c = 1;
  size_t column = 0;          // of the composition's dtypes
  size_t tensors = 1;         // of a list; each is one row and three columns larger than the one before
};
Extents TensorOfList(const Extents& e, size_t t);
std::vector<int64_t> ShapeOf(const SymbolicShape& shape, const Extents& e);

struct CompositionInput {
  std::string id;             // x0, x1, …
  SymbolicShape shape;
  double low = -2, high = 2;  // elements are drawn from here: no reference leaves its domain
};
struct CompositionNode {
  std::string op;             // as in a graph record
  base::Json args;
  std::vector<std::string> out;
  SymbolicShape shape;        // of every result
};
struct Composition {
  uint64_t seed = 0, index = 0;
  std::vector<base::Dtype> dtypes;                      // of inputs and outputs, one per column
  bool lists = false;                                   // inputs and output are lists of tensors, one composition for each
  std::vector<CompositionInput> inputs;
  std::vector<std::pair<std::string, double>> attrs;    // a0, a1, … with their values
  std::vector<CompositionNode> nodes;
  std::vector<std::string> outputs;
  std::vector<std::optional<base::Dtype>> fixed;        // of outputs: one dtype in every column; none: that of the inputs
  std::vector<Extents> cases;                           // small ones: a ragged one, one for several cores, one for each column at least
  std::vector<std::string> families;                    // kinds of building blocks, sorted, each once
  int depth = 0;                                        // operations on the longest way from an input to an output
};

// A function of both numbers alone.
Composition RandomComposition(uint64_t seed, uint64_t index);

base::Json GraphOf(const Composition& c, const Extents& e);
craft::PlanTask PlanOf(const Composition& c);
// def reference(x0: Tensor, …, a0: float) -> …, computed in float64.
std::string ReferenceText(const Composition& c);
// The case as craft/interpret/arguments.h reads it.
std::string CaseText(const Composition& c, const Extents& e);
// Operations of the graph, each as often as it stands there, in order.
std::vector<std::string> OperationsOf(const Composition& c);
// "float16", "float16+float32".
std::string DtypeText(const Composition& c);
base::Dtype DtypeOfOutput(const Composition& c, size_t output, size_t column);
SymbolicShape ShapeOfValue(const Composition& c, const std::string& id);

}  // namespace akgen::corpus
