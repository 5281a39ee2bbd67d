// Operations on each element by itself (operations.h).
#include <cmath>
#include <numbers>

#include "task/evaluate/elements.h"
#include "task/evaluate/tables.h"

namespace akgen::task::evaluate {
using base::Dtype;
namespace {
using Function = double (*)(double);
template <Function f>
Results Real(const Args& a) {
  return {MapReal(a.at(0), f)};
}
template <double (*f)(double, double)>
Results TwoReals(const Args& a) {
  const auto of_whole = [](int64_t, int64_t) -> int64_t {
    throw Unsupported("a function of integers, which libtorch computes in float32");
  };
  return {MapTwo(a.at(0), a.at(1), f, of_whole)};
}

double Sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double Relu(double v) { return v < 0 ? 0 : v; }  // NaN stays
double Sign(double v) { return double(v > 0) - double(v < 0); }
double Gelu(double v) { return 0.5 * v * (1 + std::erf(v * (std::numbers::sqrt2 / 2))); }
double GeluTanh(double v) {
  const double inner = std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v);
  return 0.5 * v * (1 + std::tanh(inner));
}
double Silu(double v) { return v / (1 + std::exp(-v)); }

// Of integers: a size without dimension keeps its dtype.
template <Function f>
Results RealOrSame(const Args& a) {
  if (!a.at(0).AsTensor()->IsReal()) return {a[0]};
  return Real<f>(a);
}
double Floor(double v) { return std::floor(v); }
double Ceil(double v) { return std::ceil(v); }
double Trunc(double v) { return std::trunc(v); }
double Round(double v) { return std::nearbyint(v); }
double Abs(double v) { return std::fabs(v); }
double Negated(double v) { return -v; }

template <Function real, int64_t (*whole)(int64_t)>
Results RealOrWhole(const Args& a) {
  const TensorPtr& x = a.at(0).AsTensor();
  if (x->IsReal()) return {MapReal(a[0], real)};
  if (x->dtype == Dtype::kBool) throw Unsupported("arithmetic on booleans");
  auto out = Zeros(x->dtype, x->shape);
  std::transform(x->whole.begin(), x->whole.end(), out->whole.begin(),
                 [&](int64_t v) { return Wrap(x->dtype, whole(v)); });
  return {TensorPtr(out)};
}
int64_t WholeAbs(int64_t v) { return v < 0 ? int64_t(0 - uint64_t(v)) : v; }
int64_t WholeNegated(int64_t v) { return int64_t(0 - uint64_t(v)); }
int64_t WholeSign(int64_t v) { return int64_t(v > 0) - int64_t(v < 0); }

// a + alpha * b
Value Sum(const Args& a, double sign) {
  const Value& scale = At(a, 2);
  const double by = sign * (scale.IsNone() ? 1 : scale.Real());
  const bool booleans = CommonDtype({OperandOf(a.at(0)), OperandOf(a.at(1))}) == Dtype::kBool;
  if (booleans && by != 1) throw Unsupported("a difference of booleans");
  if (by == 1)
    return MapTwo(
        a[0], a[1], [](double x, double y) { return x + y; },
        [](int64_t x, int64_t y) { return int64_t(uint64_t(x) + uint64_t(y)); });
  if (by == -1)
    return MapTwo(
        a[0], a[1], [](double x, double y) { return x - y; },
        [](int64_t x, int64_t y) { return int64_t(uint64_t(x) - uint64_t(y)); });
  return MapTwo(
      a[0], a[1], [by](double x, double y) { return x + by * y; },
      [by](int64_t x, int64_t y) {
        if (by != std::trunc(by)) throw Unsupported("integers and a real number");
        return int64_t(uint64_t(x) + uint64_t(int64_t(by)) * uint64_t(y));
      });
}

double Larger(double x, double y) { return x > y || std::isnan(x) ? x : y; }
double Smaller(double x, double y) { return x < y || std::isnan(x) ? x : y; }
double Remainder(double x, double y) {
  const double left = std::fmod(x, y);
  return left != 0 && (y < 0) != (left < 0) ? left + y : left;
}
int64_t WholeRemainder(int64_t x, int64_t y) {
  if (y == 0) throw Unsupported("a division of integers by zero");
  if (y == -1) return 0;
  const int64_t left = x % y;
  return left != 0 && (y < 0) != (left < 0) ? left + y : left;
}

Results Divide(const Args& a) {
  // Of integers libtorch makes float32.
  const Value& rounding = At(a, 2);
  if (rounding.IsNone()) return TwoReals<+[](double x, double y) { return x / y; }>(a);
  const bool down = rounding.Text() == "floor";
  if (!down && rounding.Text() != "trunc") throw Unsupported("another rounding");
  return {MapTwo(
      a.at(0), a.at(1),
      [down](double x, double y) {
        if (!down) return std::trunc(x / y);
        if (y == 0) return x / y;
        const double left = std::fmod(x, y), whole = (x - left) / y;
        const double lower = left != 0 && (y < 0) != (left < 0) ? whole - 1 : whole;
        if (lower == 0) return std::copysign(0.0, x / y);
        const double floor = std::floor(lower);
        return lower - floor > 0.5 ? floor + 1 : floor;
      },
      [down](int64_t x, int64_t y) {
        if (y == 0) throw Unsupported("a division of integers by zero");
        if (y == -1) return int64_t(0 - uint64_t(x));
        const int64_t whole = x / y;
        return down && x % y != 0 && (x < 0) != (y < 0) ? whole - 1 : whole;
      })};
}

// With the shortcuts that libtorch takes for some exponents, where they give another answer (-inf,
// -0).
Results Power(const Args& a) {
  if (a.at(0).IsTensor() && a[0].AsTensor()->IsReal() && a.at(1).IsNumber()) {
    const double e = a[1].Real();
    if (e == 0.5) return Real<std::sqrt>(a);
    if (e == -0.5) return Real<+[](double v) { return 1 / std::sqrt(v); }>(a);
    if (e == 2) return Real<+[](double v) { return v * v; }>(a);
    if (e == 3) return Real<+[](double v) { return v * v * v; }>(a);
    if (e == -1) return Real<+[](double v) { return 1 / v; }>(a);
    if (e == -2) return Real<+[](double v) { return 1 / (v * v); }>(a);
  }
  return TwoReals<std::pow>(a);
}

Results Clamp(const Args& a) {
  std::vector<Operand> operands{OperandOf(a.at(0))};
  const Value &low = At(a, 1), &high = At(a, 2);
  if (low.IsNone() && high.IsNone()) throw Unsupported("no limit");
  for (const Value* v : {&low, &high})
    if (!v->IsNone()) operands.push_back(OperandOf(*v));
  const Dtype dtype = CommonDtype(operands);
  if (dtype == Dtype::kBool) throw Unsupported("limits of booleans");
  const Spreaded x = Align(operands, dtype);
  auto out = Zeros(dtype, x.shape);
  for (size_t i = 0, n = static_cast<size_t>(out->numel()); i < n; ++i) {
    size_t next = 1;
    const auto at = [&](const auto& v, size_t k) { return v[i * x.step[k]]; };
    if (out->IsReal()) {
      double v = at(x.t[0]->real, 0);
      if (!low.IsNone()) v = Larger(v, at(x.t[next]->real, next)), ++next;
      if (!high.IsNone()) v = Smaller(v, at(x.t[next]->real, next));
      out->real[i] = v;
    } else {
      int64_t v = at(x.t[0]->whole, 0);
      if (!low.IsNone()) v = std::max(v, at(x.t[next]->whole, next)), ++next;
      if (!high.IsNone()) v = std::min(v, at(x.t[next]->whole, next));
      out->whole[i] = v;
    }
  }
  return {TensorPtr(out)};
}

Results Where(const Args& a) {
  if (a.size() != 3) throw Unsupported("the places where a condition holds");
  const TensorPtr& condition = a[0].AsTensor();
  if (condition->dtype != Dtype::kBool) throw Unsupported("a condition that is no boolean");
  const std::vector<Operand> values{OperandOf(a[1]), OperandOf(a[2])};
  const Dtype dtype = CommonDtype(values);
  const Shape shape = CommonShape({{condition, false}, values[0], values[1]});
  const TensorPtr c = Spread(condition, shape), x = Spread(Convert(values[0].tensor, dtype), shape),
                  y = Spread(Convert(values[1].tensor, dtype), shape);
  auto out = Zeros(dtype, shape);
  for (size_t i = 0, n = static_cast<size_t>(out->numel()); i < n; ++i) {
    if (out->IsReal())
      out->real[i] = c->whole[i] ? x->real[i] : y->real[i];
    else
      out->whole[i] = c->whole[i] ? x->whole[i] : y->whole[i];
  }
  return {TensorPtr(out)};
}

Results MaskedFill(const Args& a) {
  const TensorPtr& x = a.at(0).AsTensor();
  const Operand value = OperandOf(a.at(2));
  return Where({a.at(1), Value(Convert(value.tensor, x->dtype)), a[0]});
}

// Values of each element of a real tensor; integers and booleans have one answer.
template <bool (*f)(double), bool of_whole>
Results Tells(const Args& a) {
  const TensorPtr& x = a.at(0).AsTensor();
  auto out = Zeros(Dtype::kBool, x->shape);
  for (size_t i = 0; i < out->whole.size(); ++i)
    out->whole[i] = x->IsReal() ? f(x->real[i]) : of_whole;
  return {TensorPtr(out)};
}
bool Finite(double v) { return std::isfinite(v); }
bool Infinite(double v) { return std::isinf(v); }
bool NotANumber(double v) { return std::isnan(v); }

template <int64_t (*f)(int64_t, int64_t)>
Results Bits(const Args& a) {
  const auto of_real = [](double, double) -> double { throw Unsupported("bits of real numbers"); };
  return {MapTwo(a.at(0), a.at(1), of_real, f)};
}
int64_t And(int64_t x, int64_t y) { return x & y; }
int64_t Or(int64_t x, int64_t y) { return x | y; }
int64_t Xor(int64_t x, int64_t y) { return x ^ y; }

template <bool (*f)(bool, bool)>
Results Logical(const Args& a) {
  return {Compare(a.at(0), a.at(1), [](auto x, auto y) { return f(x != 0, y != 0); })};
}

Results Not(const Args& a) {
  const TensorPtr& x = a.at(0).AsTensor();
  if (x->IsReal()) throw Unsupported("bits of real numbers");
  auto out = Zeros(x->dtype, x->shape);
  for (size_t i = 0; i < out->whole.size(); ++i)
    out->whole[i] = x->dtype == Dtype::kBool ? !x->whole[i] : Wrap(x->dtype, ~x->whole[i]);
  return {TensorPtr(out)};
}
Results LogicalNot(const Args& a) {
  return {Compare(a.at(0), Value(int64_t{0}), [](auto x, auto y) { return x == y; })};
}

// Numbers are compared by Python's rules (number_operations.cc); at least one of these is a tensor.
struct Equal {
  template <class T>
  bool operator()(T x, T y) const {
    return x == y;
  }
};
struct NotEqual {
  template <class T>
  bool operator()(T x, T y) const {
    return x != y;
  }
};
struct Less {
  template <class T>
  bool operator()(T x, T y) const {
    return x < y;
  }
};
struct LessOrEqual {
  template <class T>
  bool operator()(T x, T y) const {
    return x <= y;
  }
};
struct Greater {
  template <class T>
  bool operator()(T x, T y) const {
    return x > y;
  }
};
struct GreaterOrEqual {
  template <class T>
  bool operator()(T x, T y) const {
    return x >= y;
  }
};
template <class F>
Results Compared(const Args& a) {
  return {Compare(a.at(0), a.at(1), F{})};
}

Results MultiplyAdd(const Args& a) {  // addcmul(self, x, y, value)
  const Results product = {MapTwo(
      a.at(1), a.at(2), [](double x, double y) { return x * y; },
      [](int64_t x, int64_t y) { return int64_t(uint64_t(x) * uint64_t(y)); })};
  return {Sum({a.at(0), product[0], At(a, 3)}, 1)};
}
Results DivideAdd(const Args& a) {  // addcdiv(self, x, y, value)
  return {Sum({a.at(0), Divide({a.at(1), a.at(2)})[0], At(a, 3)}, 1)};
}

const OperationTable kElements = {
    {"exp", Real<std::exp>},
    {"exp2", Real<std::exp2>},
    {"expm1", Real<std::expm1>},
    {"log", Real<std::log>},
    {"log2", Real<std::log2>},
    {"log10", Real<std::log10>},
    {"log1p", Real<std::log1p>},
    {"sqrt", Real<std::sqrt>},
    {"rsqrt", Real<+[](double v) { return 1 / std::sqrt(v); }>},
    {"reciprocal", Real<+[](double v) { return 1 / v; }>},
    {"sin", Real<std::sin>},
    {"cos", Real<std::cos>},
    {"tan", Real<std::tan>},
    {"asin", Real<std::asin>},
    {"acos", Real<std::acos>},
    {"atan", Real<std::atan>},
    {"sinh", Real<std::sinh>},
    {"cosh", Real<std::cosh>},
    {"tanh", Real<std::tanh>},
    {"asinh", Real<std::asinh>},
    {"acosh", Real<std::acosh>},
    {"atanh", Real<std::atanh>},
    {"erf", Real<std::erf>},
    {"erfc", Real<std::erfc>},
    {"sigmoid", Real<Sigmoid>},
    {"silu", Real<Silu>},
    {"gelu",
     [](const Args& a) -> Results {
       if (At(a, 1).IsNone() || a[1].Text() == "none") return Real<Gelu>(a);
       if (a[1].Text() != "tanh") throw Unsupported("another approximation");
       return Real<GeluTanh>(a);
     }},
    {"relu",
     [](const Args& a) -> Results {
       return RealOrWhole<Relu, +[](int64_t v) { return std::max<int64_t>(v, 0); }>(a);
     }},
    {"floor", RealOrSame<Floor>},
    {"ceil", RealOrSame<Ceil>},
    {"trunc", RealOrSame<Trunc>},
    {"round", RealOrSame<Round>},
    {"abs", RealOrWhole<Abs, WholeAbs>},
    {"neg", RealOrWhole<Negated, WholeNegated>},
    {"sign", RealOrWhole<Sign, WholeSign>},
    {"square",
     [](const Args& a) -> Results {
       return {MapTwo(
           a.at(0), a[0], [](double x, double y) { return x * y; },
           [](int64_t x, int64_t y) { return int64_t(uint64_t(x) * uint64_t(y)); })};
     }},
    {"isfinite", Tells<Finite, true>},
    {"isinf", Tells<Infinite, false>},
    {"isnan", Tells<NotANumber, false>},
    {"add", [](const Args& a) -> Results { return {Sum(a, 1)}; }},
    {"sub", [](const Args& a) -> Results { return {Sum(a, -1)}; }},
    {"rsub", [](const Args& a) -> Results { return {Sum({a.at(1), a.at(0), At(a, 2)}, -1)}; }},
    {"mul",
     [](const Args& a) -> Results {
       return {MapTwo(
           a.at(0), a.at(1), [](double x, double y) { return x * y; },
           [](int64_t x, int64_t y) { return int64_t(uint64_t(x) * uint64_t(y)); })};
     }},
    {"div", Divide},
    {"pow", Power},
    {"maximum",
     [](const Args& a) -> Results {
       return {
           MapTwo(a.at(0), a.at(1), Larger, [](int64_t x, int64_t y) { return std::max(x, y); })};
     }},
    {"minimum",
     [](const Args& a) -> Results {
       return {
           MapTwo(a.at(0), a.at(1), Smaller, [](int64_t x, int64_t y) { return std::min(x, y); })};
     }},
    {"remainder",
     [](const Args& a) -> Results {
       return {MapTwo(a.at(0), a.at(1), Remainder, WholeRemainder)};
     }},
    {"clamp", Clamp},
    {"clamp_min", [](const Args& a) -> Results { return Clamp({a.at(0), a.at(1), {}}); }},
    {"clamp_max", [](const Args& a) -> Results { return Clamp({a.at(0), {}, a.at(1)}); }},
    {"where", Where},
    {"masked_fill", MaskedFill},
    {"addcmul", MultiplyAdd},
    {"addcdiv", DivideAdd},
    {"eq", Compared<Equal>},
    {"ne", Compared<NotEqual>},
    {"lt", Compared<Less>},
    {"le", Compared<LessOrEqual>},
    {"gt", Compared<Greater>},
    {"ge", Compared<GreaterOrEqual>},
    {"logical_and", Logical<+[](bool x, bool y) { return x && y; }>},
    {"logical_or", Logical<+[](bool x, bool y) { return x || y; }>},
    {"logical_xor", Logical<+[](bool x, bool y) { return x != y; }>},
    {"logical_not", LogicalNot},
    {"bitwise_not", Not},
    {"bitwise_and", Bits<And>},
    {"bitwise_or", Bits<Or>},
    {"bitwise_xor", Bits<Xor>},
    {"__and__", Bits<And>},
    {"__or__", Bits<Or>},
    {"__xor__", Bits<Xor>},
};
}  // namespace

const OperationTable& ElementOperations() { return kElements; }

}  // namespace akgen::task::evaluate
