// Random compositions of operators: what a reference computes, as a graph of symbolic shapes that
// becomes a graph of shapes (record/graph.h), a planner's task, TorchScript text and a case's
// inputs.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "craft/plan/plan.h"
#include "record/graph.h"

namespace akgen::corpus {

// A dimension by its letter: 1, B, A, R, C (the last one), D (2 C), b, a, r (twice B, A, R), K (R
// C), L (B A R), T (tensors of a list).
using SymbolicShape = std::string;
struct Extents {
  int64_t b = 1, a = 1, r = 1, c = 1;
  size_t column = 0;   // of the composition's dtypes
  size_t tensors = 1;  // of a list; each is one row and three columns larger than the one before
  size_t turn = 0;     // which of them
  size_t number = 0;   // of the case: attributes take their values in turn
  std::vector<size_t> states = {};  // of the composition's switches
};
Extents TensorOfList(const Extents& e, size_t t);
std::vector<int64_t> ShapeOf(const SymbolicShape& shape, const Extents& e);

struct CompositionInput {
  std::string id;  // x0, x1, …
  SymbolicShape shape;
  double low = -2, high = 2;  // elements are drawn from here: no reference leaves its domain
  std::vector<base::Dtype> dtypes = {};  // one per column; empty: those of the composition
  bool single = false;                   // one tensor, though the others are lists
  int without = -1;       // the switch that leaves it out in all states but its first
  bool optional = false;  // the caller may leave it out; …
  bool missing = false;   // … and always does: nothing reads it
  int by = -1;            // a switch, and
  std::vector<SymbolicShape> shapes = {};  // the shape in each of its states
};
struct CompositionAttr {
  std::string id, type;            // float, int, bool, string
  std::vector<base::Json> values;  // cases take them in turn, or by the states of a switch
  int by = -1;                     // that switch
};
// What stands in a node's place in another state of its switch.
struct Alternative {
  std::string op;  // empty: the first operand as it is
  record::GraphArgs args;
  SymbolicShape shape;
};
struct CompositionNode {
  std::string op;  // as in a graph
  record::GraphArgs args;
  std::vector<std::string> out;
  SymbolicShape shape;                   // of every result
  int by = -1;                           // a switch
  std::vector<Alternative> others = {};  // for its states 1, 2, …
};
// An extent of another tensor's dimension, as a list has it: said with its letter, for it is a
// number in each case.
record::GraphArg ExtentOf(char letter, const std::string& id, int64_t dim);
struct Composition {
  uint64_t seed = 0, index = 0;
  std::vector<base::Dtype> dtypes;  // of inputs and outputs, one per column
  bool lists = false;  // inputs and output are lists of tensors, one composition for each
  std::vector<CompositionInput> inputs;
  std::vector<CompositionAttr> attrs;  // a0, a1, …
  std::vector<size_t> switches;        // how many states each has; what is computed depends on them
  std::vector<CompositionNode> nodes;
  std::vector<std::string> outputs;
  std::vector<std::optional<base::Dtype>>
      fixed;  // of outputs: one dtype in every column; none: that of the inputs
  std::vector<std::string>
      inplace;        // of outputs: the input in whose memory it lies; empty: its own
  bool over = false;  // those outputs are no parameters of their own
  std::vector<Extents>
      cases;  // small ones: a ragged one, one for several cores, one for each column at least
  std::vector<std::string> families;  // kinds of building blocks, sorted, each once
  int depth = 0;                      // operations on the longest way from an input to an output
};

// A function of both numbers alone.
Composition RandomComposition(uint64_t seed, uint64_t index);

bool Present(const CompositionInput& input, const Extents& e);
SymbolicShape ShapeIn(const CompositionInput& input, const Extents& e);
base::Dtype DtypeOfInput(const Composition& c, const CompositionInput& input, size_t column);
const base::Json& ValueOf(const CompositionAttr& attr, const Extents& e);
// The nodes of one case, and its outputs.
std::pair<std::vector<CompositionNode>, std::vector<std::string>> NodesOf(const Composition& c,
                                                                          const Extents& e);
record::Graph GraphOf(const Composition& c, const Extents& e);
// Of every graph that the cases have: identifies duplicates and benchmark tasks. The first is that
// of the first case.
std::vector<std::string> CanonicalsOf(const Composition& c);
// One hash for all of them.
std::string CanonicalOf(const Composition& c);
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
SymbolicShape ShapeOfValue(const Composition& c, const std::string& id,
                           const Extents& e);  // in one case

}  // namespace akgen::corpus
