// Scalar expressions, as the interpreter evaluates them on the host and in a core, and how it
// fails.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "craft/interpret/interpret.h"

namespace akgen::craft {
using base::Error;
using ir::S;
using ir::SKind;
using ir::Ty;

struct Failed {
  Error error;
};
[[noreturn]] inline void FailAt(const char* code, std::string what, Place place, std::string fix) {
  throw Failed{Error{code, std::move(what), place.line ? fmt::format("line {}", place.line) : "",
                     std::move(fix)}};
}

// What fails in an expression fails at the innermost statement that has a place.
inline thread_local Place g_statement;
class AtPlace {
 public:
  explicit AtPlace(Place p) : before_(g_statement) {
    if (p.line) g_statement = p;
  }
  ~AtPlace() { g_statement = before_; }

 private:
  Place before_;
};

[[noreturn]] inline void Fail(const char* code, std::string what, Place place,
                              std::string fix = {}) {
  FailAt(code, std::move(what), place.line ? place : g_statement, std::move(fix));
}

inline int64_t AsInt(const Number& n) {
  if (auto* d = std::get_if<double>(&n)) return static_cast<int64_t>(*d);
  if (auto* b = std::get_if<bool>(&n)) return *b;
  return std::get<int64_t>(n);
}
inline double AsReal(const Number& n) {
  if (auto* i = std::get_if<int64_t>(&n)) return static_cast<double>(*i);
  if (auto* b = std::get_if<bool>(&n)) return *b;
  return std::get<double>(n);
}

// Scalar arithmetic; `on_chip` rounds floats to float after each step.
class Scalars {
 public:
  virtual ~Scalars() = default;
  Number Eval(const S& s) {
    switch (s->kind) {
      case SKind::kConst:
        if (s->type == Ty::kFloat) return Real(s->f);
        if (s->type == Ty::kBool) return s->i != 0;
        if (s->type == Ty::kString) return s->text;
        return s->i;
      case SKind::kVar: {
        auto it = env_.find(s->text);
        if (it == env_.end()) Fail("AK1532", fmt::format("'{}' has no value", s->text), {});
        return it->second;
      }
      case SKind::kUnary: {
        Number a = Eval(s->args[0]);
        if (s->text == "not") return AsInt(a) == 0;
        if (s->type == Ty::kFloat) return -AsReal(a);
        return Whole("-", 0, AsInt(a));
      }
      case SKind::kSelect: return AsInt(Eval(s->args[1])) ? Eval(s->args[0]) : Eval(s->args[2]);
      case SKind::kBinary: return Operate(*s);
      case SKind::kCall: return Call(*s);
    }
    return int64_t{0};
  }
  int64_t Int(const S& s) { return AsInt(Eval(s)); }
  std::map<std::string, Number> env_;

 protected:
  virtual Number Special(const ir::Scalar& s) = 0;
  virtual double Real(double v) const { return v; }
  // Integers of 64 bits, as ir::Computed; fails where that says nothing.
  static int64_t Whole(std::string_view op, int64_t x, int64_t y) {
    if (y == 0 && (op == "//" || op == "%"))
      Fail("AK1530", "division by zero", {}, "require() a shape for which this cannot happen");
    const auto value = ir::Computed(op, x, y);
    if (!value) Fail("AK1532", fmt::format("{} {} {} does not fit 64 bits", x, op, y), {});
    return *value;
  }

 private:
  Number Operate(const ir::Scalar& s) {
    const std::string& op = s.text;
    if (op == "and") return AsInt(Eval(s.args[0])) && AsInt(Eval(s.args[1]));
    if (op == "or") return AsInt(Eval(s.args[0])) || AsInt(Eval(s.args[1]));
    Number a = Eval(s.args[0]), b = Eval(s.args[1]);
    if (s.type == Ty::kBool) {
      if (std::holds_alternative<std::string>(a))
        return (std::get<std::string>(a) == std::get<std::string>(b)) == (op == "==");
      double x = AsReal(a), y = AsReal(b);
      return op == "=="   ? x == y
             : op == "!=" ? x != y
             : op == "<"  ? x < y
             : op == "<=" ? x <= y
             : op == ">"  ? x > y
                          : x >= y;
    }
    if (s.type == Ty::kFloat) {
      double x = AsReal(a), y = AsReal(b);
      return Real(op == "+" ? x + y : op == "-" ? x - y : op == "*" ? x * y : x / y);
    }
    return Whole(op, AsInt(a), AsInt(b));
  }
  Number Call(const ir::Scalar& s) {
    const std::string& f = s.text;
    if (f == "min" || f == "max") {
      Number a = Eval(s.args[0]), b = Eval(s.args[1]);
      if (s.type == Ty::kFloat)
        return f == "min" ? std::min(AsReal(a), AsReal(b)) : std::max(AsReal(a), AsReal(b));
      return f == "min" ? std::min(AsInt(a), AsInt(b)) : std::max(AsInt(a), AsInt(b));
    }
    if (f == "ceil_div") {
      int64_t a = Int(s.args[0]), b = Int(s.args[1]);
      if (b == 0)
        Fail("AK1530", "division by zero", {}, "require() a shape for which this cannot happen");
      return Whole("+", a, Whole("-", b, 1)) / b;
    }
    if (f == "int") return Int(s.args[0]);
    if (f == "float") return Real(AsReal(Eval(s.args[0])));
    if (f == "tune") return Eval(s.args[0]);
    if (f == "sqrt") return std::sqrt(AsReal(Eval(s.args[0])));
    if (f == "exp") return std::exp(AsReal(Eval(s.args[0])));
    if (f == "log") return std::log(AsReal(Eval(s.args[0])));
    if (f == "pow") return std::pow(AsReal(Eval(s.args[0])), AsReal(Eval(s.args[1])));
    return Special(s);
  }
};

}  // namespace akgen::craft
