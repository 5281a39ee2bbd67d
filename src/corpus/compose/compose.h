// How a random composition grows; for corpus/ only. Every value carries the interval its elements
// lie in, so that an operation is only taken, or its operand first brought, where it is defined and
// well conditioned.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "corpus/compose/composition.h"
#include "corpus/compose/random.h"

namespace akgen::corpus {

// What the operands of two shapes give together.
SymbolicShape Spread(const SymbolicShape& a, const SymbolicShape& b);

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

class Composer {
 public:
  Composer(uint64_t seed, uint64_t index) : random_(seed, index) {
    c_.seed = seed, c_.index = index;
  }
  Composition Run();

 private:
  struct Value {
    std::string id;
    SymbolicShape shape;
    double low = 0, high = 0;
    int depth = 0;
    bool used = false, leaf = false;
    bool result_only = false;  // booleans, indices and the like: no operand of further arithmetic
  };
  using Args = record::GraphArgs;

  // ---- values ----
  size_t Input(SymbolicShape shape, double low,
               double high);  // `shape` may be that of another input
  size_t Node(const std::string& op, const Args& args, const SymbolicShape& shape, double low,
              double high, const std::vector<size_t>& from);
  record::GraphArg Tensor(size_t v) const;
  struct Scalar {
    record::GraphArg arg;
    double low = 0, high = 0;
  };
  Scalar Attribute(double low = 0.25, double high = 1.75);
  size_t Switch(const std::string& type, std::vector<base::Json> values);
  double Constant(double low, double high);
  size_t Pick();
  size_t PickOther(size_t not_this);
  void Family(const char* name);
  double Most(size_t v) const;

  // ---- operations ----
  size_t Add(size_t a, size_t b, const char* op = "add");
  size_t Mul(size_t a, size_t b);
  size_t Scaled(size_t v, double by);
  size_t Shifted(size_t v, double by);
  size_t Simple(const std::string& op, size_t v, double low, double high);
  size_t Within(size_t v, double most);  // |x| <= most
  size_t Above(size_t v, double least);  // x >= least > 0
  size_t Unary(size_t v);
  size_t UnaryPositive(size_t v);
  size_t Binary(size_t v);
  size_t Again(size_t v);
  size_t WithNumber(size_t v);
  size_t Choice(size_t v);
  size_t Activation(size_t v);
  size_t Reduced(const std::string& op, size_t v);
  size_t Reduction(size_t v);
  size_t Norm(size_t v);
  record::GraphArg Epsilon(double value);
  void Keep(size_t v, int percent, bool statistic = true);
  SymbolicShape ShapeOfInput();
  size_t Whole(size_t v);
  void Grow(size_t operations);
  void Alone();
  void Finish();
  void Start(size_t inputs);
  void Dtypes();
  void Outputs(const std::vector<size_t>& open);
  void Last(std::vector<size_t>& open);
  void Cases();

  // ---- compose_shapes.cc ----
  void StartHalves();
  void StartFlat();
  size_t Joined(size_t v);
  size_t Reshaped(size_t v, const SymbolicShape& shape);
  void Zeros();
  void AnyOrder();
  void Renamed(const std::map<std::string, std::string>& names);
  void MoreInputs();

  // ---- compose_kinds.cc ----
  size_t Compare(size_t v);
  size_t WithScalar(size_t v);
  size_t Optional(size_t v, bool summand = false);  // or just a summand of the whole shape
  size_t Switched(size_t v);
  size_t Quantised(size_t v);
  size_t ByMode(size_t v);
  size_t Scalars();
  void StartList();
  void GrowList(size_t operations);
  void Narrow();
  void Residual();
  size_t Weighted();
  size_t QuantisedByRow(size_t v);
  void Gradients();
  void InPlace();
  void Idle();

  Composition c_;
  Random random_;
  std::vector<Value> values_;
  SymbolicShape full_;
  std::vector<std::string> families_;
  bool whole_ = false;       // integers
  bool eight_bits_ = false;  // what the first output becomes
  int row_dims_ = 1;         // that reductions along rows run over
  std::vector<int> halved_;  // dimensions of which the first input has twice as much: one, or one
                             // for each state of the first switch
  record::GraphNumber halved_dim_;  // a constant, or an attribute
  SymbolicShape unflat_;            // what the output is brought into in the end
  std::vector<std::pair<size_t, bool>>
      kept_;  // statistics (float32) and sums (of the inputs' dtype) that become outputs, too
};

}  // namespace akgen::corpus
