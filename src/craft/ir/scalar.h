// Scalar expressions of host and kernel functions: immutable trees. Integers are 64-bit, floats are
// double on the host and float on the chip.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "craft/syntax/diagnostic.h"

namespace akgen::craft::ir {

enum class Ty { kInt, kFloat, kBool, kString };

struct Scalar;
using S = std::shared_ptr<const Scalar>;

// A list of extents: single numbers and stretches of an input's shape.
struct ShapePart {
  S value;             // one extent, or null:
  std::string tensor;  // the stretch [from, to) of this input's shape; negative counts from the end
  int64_t from = 0, to = 0;
  S first, last;  // in place of from and to where they are no constants
  bool to_end = false;
};
using Shape = std::vector<ShapePart>;

enum class SKind { kConst, kVar, kUnary, kBinary, kSelect, kCall };

struct Scalar {
  SKind kind = SKind::kConst;
  Ty type = Ty::kInt;
  std::string text;  // kVar: name; operators and calls: what; constant strings: the string
  int64_t i = 0;     // constants: int and bool
  double f = 0;      // constants: float
  std::vector<S> args;
  Shape shape;         // calls that take a shape: prod, len
  std::string tensor;  // calls that name a tensor or list: dim, numel, item, present, count,
                       // element, length; start and group: the Starts
};

S Int(int64_t value);
S Float(double value);
S Bool(bool value);
S String(std::string value);
S Var(std::string name, Ty type);
// x op y for + - * // % on 64-bit integers, rounded down as in Python; nothing where it does not
// fit or y is a divisor of 0.
std::optional<int64_t> Computed(std::string_view op, int64_t x, int64_t y);
S Unary(const std::string& op, S a);
// Folds constants and the neutral elements of integers.
S Binary(const std::string& op, S a, S b, Ty type);
S Add(S a, S b);
S Sub(S a, S b);
S Mul(S a, S b);
S Min(S a, S b);
S CeilDiv(S a, S b);
S Call(const std::string& name, std::vector<S> args, Ty type);

// Equal for expressions that are equal as polynomials of their variables and opaque parts; for
// integers only.
std::string Key(const S& s);
bool Same(const S& a, const S& b);
bool IsConst(const S& s, int64_t value);
// The constant, if it is one.
const Scalar* AsConst(const S& s);
void Variables(const S& s, std::set<std::string>& out);
// Replaces variables; `with` answers null to keep one.
template <typename F>
S Substitute(const S& s, const F& with);
S MapScalar(const S& s, const std::vector<S>& args);
std::string ToText(const S& s);

template <typename F>
S Substitute(const S& s, const F& with) {
  if (!s) return s;
  if (s->kind == SKind::kVar) {
    S r = with(s->text);
    return r ? r : s;
  }
  if (s->args.empty()) return s;
  std::vector<S> args;
  for (const S& a : s->args) args.push_back(Substitute(a, with));
  return MapScalar(s, args);
}

}  // namespace akgen::craft::ir
