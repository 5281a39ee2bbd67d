// Tensors, numbers and lists as a reference sees them when it is evaluated without libtorch:
// floating elements are float64, whatever the case's dtype; integers keep their width.
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "base/dtype.h"

namespace akgen::task::evaluate {

// What this evaluator does not do, or not as libtorch would: libtorch is asked then.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Shape = std::vector<int64_t>;
int64_t Numel(const Shape& shape);

// Contiguous, never changed once it is made.
struct Tensor {
  base::Dtype dtype =
      base::Dtype::kFloat64;  // or bool, or an integer of up to 64 bits with a sign, or uint8
  Shape shape;
  std::vector<double> real;    // the elements of float64
  std::vector<int64_t> whole;  // those of integers and bool

  bool IsReal() const { return dtype == base::Dtype::kFloat64; }
  int64_t numel() const { return Numel(shape); }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  double Real(int64_t i) const {
    return IsReal() ? real[static_cast<size_t>(i)]
                    : static_cast<double>(whole[static_cast<size_t>(i)]);
  }
};
using TensorPtr = std::shared_ptr<const Tensor>;

// A tensor of zeros. Unsupported: more than 2^24 elements.
std::shared_ptr<Tensor> Zeros(base::Dtype dtype, Shape shape);
// An integer as an element of this dtype: the low bits, as C++ converts.
int64_t Wrap(base::Dtype dtype, int64_t v);
// The same elements in another dtype. Unsupported: real numbers that the integer type does not
// hold.
TensorPtr Convert(const TensorPtr& t, base::Dtype dtype);

struct Value;
using ListPtr = std::shared_ptr<std::vector<Value>>;  // lists are shared and can be changed, as in
                                                      // Python; tuples too
struct Value
    : std::variant<std::monostate, bool, int64_t, double, std::string, TensorPtr, ListPtr> {
  using variant::variant;

  bool IsNone() const { return index() == 0; }
  bool IsTensor() const { return std::holds_alternative<TensorPtr>(*this); }
  bool IsList() const { return std::holds_alternative<ListPtr>(*this); }
  bool IsNumber() const { return index() >= 1 && index() <= 3; }
  // Each throws Unsupported where it is something else.
  const TensorPtr& AsTensor() const;
  std::vector<Value>& AsList() const;
  int64_t Int() const;  // also of true and false
  double Real() const;  // of any number
  bool Bool() const;
  const std::string& Text() const;
  std::vector<int64_t> Ints() const;  // of a list, or one number
};

inline Value ListOf(std::vector<Value> elements) {
  return Value(std::make_shared<std::vector<Value>>(std::move(elements)));
}

}  // namespace akgen::task::evaluate
