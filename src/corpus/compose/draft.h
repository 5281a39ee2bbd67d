// A random composition that grows; for corpus/ only. Every value carries the interval its elements
// lie in, so that an operation is only taken, or its operand first brought, where it is defined and
// well conditioned.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "corpus/compose/composition.h"
#include "corpus/compose/random.h"

namespace akgen::corpus {

// What the operands of two shapes give together.
SymbolicShape Spread(const SymbolicShape& a, const SymbolicShape& b);
// To so many digits after the point.
double RoundedTo(double v, int digits = 3);

inline record::GraphArg FloatArg(double v) {
  return record::GraphArg::Number(record::GraphConstant(v));
}
inline record::GraphArg IntArg(int64_t v) {
  return record::GraphArg::Number(record::GraphConstant(v));
}
inline record::GraphArg BoolArg(bool v) {
  return record::GraphArg::Number(record::GraphConstant(v));
}
inline record::GraphNumber AttributeNumber(const std::string& id) {
  return record::GraphNumber::Of(record::GraphNumber::From::kAttribute, id);
}
inline record::GraphNumber TensorNumber(const std::string& id) {
  return record::GraphNumber::Of(record::GraphNumber::From::kTensor, id);
}
inline record::GraphNumber Operation(const char* op, std::vector<record::GraphNumber> args) {
  return record::GraphNumber::Of(record::GraphNumber::From::kOperation, op, std::move(args));
}

constexpr double kMaxValue = 1000;  // no value of a reference is larger

using Args = record::GraphArgs;

// Values are named by their place in `values`.
struct Draft {
  struct Value {
    std::string id;
    SymbolicShape shape;
    double low = 0, high = 0;
    int depth = 0;
    bool used = false, leaf = false;
    bool result_only = false;  // booleans, indices and the like: no operand of further arithmetic
  };
  struct Scalar {
    record::GraphArg arg;
    double low = 0, high = 0;
  };
  struct Kept {
    size_t value;
    bool statistic;
  };

  Draft(uint64_t seed, uint64_t index) : random(seed, index) { c.seed = seed, c.index = index; }

  size_t Input(SymbolicShape shape, double low,
               double high);  // `shape` may be that of another input
  size_t Node(const std::string& op, const Args& args, const SymbolicShape& shape, double low,
              double high, const std::vector<size_t>& from);
  record::GraphArg Tensor(size_t v) const;
  Scalar Attribute(double low = 0.25, double high = 1.75);
  size_t Switch(const std::string& type, std::vector<base::Json> values);
  double Constant(double low, double high);
  size_t Pick();
  size_t PickOther(size_t not_this);
  SymbolicShape ShapeOfInput();
  void Family(const char* name);
  double Most(size_t v) const;
  void Keep(size_t v, int percent, bool statistic = true);

  Composition c;
  Random random;
  std::vector<Value> values;
  SymbolicShape full;
  bool whole = false;      // integers
  int row_dims = 1;        // that reductions along rows run over
  std::vector<Kept> kept;  // statistics (float32) and sums (of the inputs' dtype) that become
                           // outputs, too
};

}  // namespace akgen::corpus
