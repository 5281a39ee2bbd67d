#include "craft/check/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "craft/syntax/parser.h"

namespace akgen::craft {
using ast::Expr;
using ast::ExprKind;
using ir::S;
using ir::Ty;

std::string CalleeName(const Expr& call) {
  if (call.kind != ExprKind::kCall) return {};
  const Expr& f = *call.args[0];
  if (f.kind == ExprKind::kName) return f.text;
  if (f.kind != ExprKind::kAttribute || !f.of_module) return {};
  const auto op = ir::OpFromName(f.text);
  const ir::OpKind kind = op ? ir::KindOf(*op) : ir::OpKind::none;
  const bool same = kind == ir::OpKind::unary || kind == ir::OpKind::binary ||
                    kind == ir::OpKind::compare || kind == ir::OpKind::logic || f.text == "where";
  return same ? f.text : std::string();
}
const Expr& WithoutExtents(const Expr& annotation) {
  const bool named =
      annotation.kind == ExprKind::kSubscript && annotation.args[0]->kind == ExprKind::kCall;
  return named ? *annotation.args[0] : annotation;
}
const Expr* KeywordArg(const Expr& call, const std::string& name) {
  for (const auto& k : call.keywords)
    if (k.name == name) return k.value.get();
  return nullptr;
}

// What the table has in place of functions that others have.
static const char* Instead(const std::string& name) {
  static const std::map<std::string, const char*> kInstead = {
      {"sum", "row_sum(v), col_sum(v) or all_sum(v)"},
      {"mean", "row_sum(v) / float(cols)"},
      {"max", "row_max(v), or maximum(a, b) of two"},
      {"min", "row_min(v), or minimum(a, b) of two"},
      {"amax", "row_max(v)"},
      {"amin", "row_min(v)"},
      {"argmax", "row_argmax(v)"},
      {"argmin", "row_argmin(v)"},
      {"prod", "row_prod(v)"},
      {"cumsum", "row_cumsum(v)"},
      {"clamp", "minimum(maximum(v, low), high)"},
      {"clip", "minimum(maximum(v, low), high)"},
      {"softmax", "e = exp(v - row_max(v)), then e / row_sum(e)"},
      {"silu", "v * sigmoid(v)"},
      {"gelu", "0.5 * v * (1.0 + erf(v * 0.70710678))"},
      {"fabs", "abs(v)"},
      {"zeros", "full(rows, cols, 0.0)"},
      {"ones", "full(rows, cols, 1.0)"},
      {"arange", "iota(first, n)"}};
  auto it = kInstead.find(name);
  return it == kInstead.end() ? nullptr : it->second;
}

void ScalarChecker::NoFunction(const Expr& e, const std::string& where,
                               std::vector<std::string> names) {
  const Expr& f = *e.args[0];
  const bool foreign = f.kind == ExprKind::kAttribute && f.of_module;
  if (f.kind != ExprKind::kName && !foreign)
    return Error("AK1514", e.place, fmt::format("'{}' is no function", ToText(f)),
                 "functions have plain names: exp(v), not v.exp()");
  std::string fix = "docs/craft/language.md lists them";
  if (const char* instead = Instead(f.text))
    fix = fmt::format("write {}", instead);
  else if (std::string near = Nearest(f.text, names); !near.empty())
    fix = fmt::format("did you mean {}()?", near);
  else if (near = Nearest(f.text, names, 1); foreign && !near.empty())
    fix = fmt::format("the nearest is {}(); docs/craft/language.md lists all", near);
  Error("AK1514", e.place,
        fmt::format("no function {}{}{} {}", foreign ? "" : "'", ToText(f), foreign ? "" : "'",
                    where),
        fix);
}

namespace {
bool Any(const Expr& e, const std::set<std::string>& names) {
  const auto any = [&](const ast::ExprPtr& x) { return x && Any(*x, names); };
  return (e.kind == ExprKind::kName && names.count(e.text)) ||
         std::any_of(e.args.begin(), e.args.end(), any) ||
         std::any_of(e.keywords.begin(), e.keywords.end(),
                     [&](const auto& k) { return any(k.value); });
}

// x of x, x[:], x.y
const std::string& Root(const Expr& e) {
  return e.args.empty() || !e.args[0] ? e.text : Root(*e.args[0]);
}

// What a statement gives: the names on its left, the buffer that is loaded, and what its blocks
// give.
template <typename F>
void Given(const ast::Stmt& s, F name) {
  for (const auto& t : s.targets) name(Root(*t));
  if (const Expr* v = s.value.get(); v && s.kind == ast::StmtKind::kExpr) {
    const bool into = v->kind == ExprKind::kCall && v->args.size() > 1 && CalleeName(*v) != "store";
    if (into)
      name(Root(*v->args[1]));
    else if (v->kind == ExprKind::kCompare)
      name(Root(*v));  // x == 1 where x = 1 was meant
  }
  for (const ast::Block* block : {&s.body, &s.other})
    for (const auto& inner : *block) Given(*inner, name);
}
}  // namespace

bool ScalarChecker::MentionsBroken(const ast::Stmt& s) const {
  return s.value && Any(*s.value, broken_);
}

void ScalarChecker::Break(const ast::Stmt& s) {
  Given(s, [&](const std::string& name) { broken_.insert(name); });
}

void ScalarChecker::Mend(const ast::Stmt& s) {
  Given(s, [&](const std::string& name) { broken_.erase(name); });
}

void ScalarChecker::UnknownName(const Expr& e, const std::string& what) {
  if (SaidOf(e.text)) return;
  std::string near = Nearest(e.text, NamesInScope());
  diag_.Add("AK1510", {e.place.line, e.place.column, static_cast<int>(e.text.size())},
            fmt::format("no {} '{}' here", what, e.text),
            near.empty() ? "assign it before it is used" : fmt::format("did you mean '{}'?", near),
            what == "name" ? e.text : "");
}

S ScalarChecker::Arithmetic(const std::string& op, const S& a, const S& b, Place place) {
  if (a->type == Ty::kString || b->type == Ty::kString) {
    Error("AK1512", place, fmt::format("'{}' does not work on strings", op),
          "strings can only be compared");
    return nullptr;
  }
  bool real = a->type == Ty::kFloat || b->type == Ty::kFloat || op == "/";
  if ((op == "//" || op == "%") && real) {
    Error("AK1512", place, fmt::format("'{}' needs integers", op), "use int(...) first");
    return nullptr;
  }
  if ((op == "/" || op == "//" || op == "%") && ir::IsConst(b, 0)) {
    Error("AK1514", place, "division by zero");
    return nullptr;
  }
  if (op == "-" && !real) return ir::Sub(a, b);
  return ir::Binary(op, a, b, real ? Ty::kFloat : Ty::kInt);
}

S ScalarChecker::CommonCall(const Expr& e) {
  std::string name = CalleeName(e);
  struct Shape {
    const char* name;
    size_t least, most;
  };
  static const Shape kCalls[] = {{"min", 2, 8},   {"max", 2, 8}, {"ceil_div", 2, 2},
                                 {"align", 2, 2}, {"int", 1, 1}, {"float", 1, 1}};
  for (const Shape& c : kCalls) {
    if (name != c.name) continue;
    size_t n = e.args.size() - 1;
    if (n < c.least || n > c.most) {
      Error(
          "AK1514", e.place,
          fmt::format("{}() takes {} value{}, not {}", name, c.least, c.least == 1 ? "" : "s", n));
      return nullptr;
    }
    std::vector<S> args;
    for (size_t i = 1; i < e.args.size(); ++i) {
      args.push_back(Scalar(*e.args[i]));
      if (!args.back()) return nullptr;
    }
    if (name == "int") return args[0]->type == Ty::kInt ? args[0] : ir::Call("int", args, Ty::kInt);
    if (name == "float")
      return args[0]->type == Ty::kFloat ? args[0] : ir::Call("float", args, Ty::kFloat);
    bool real = false;
    for (const S& a : args) real |= a->type == Ty::kFloat;
    if (real && name != "min" && name != "max") {
      Error("AK1512", e.place, fmt::format("{}() takes integers", name));
      return nullptr;
    }
    if (name == "ceil_div") return ir::CeilDiv(args[0], args[1]);
    if (name == "align") return ir::Mul(ir::CeilDiv(args[0], args[1]), args[1]);
    S out = args[0];
    for (size_t i = 1; i < args.size(); ++i)
      out = ir::Same(out, args[i]) && !real
                ? out
                : ir::Call(name, {out, args[i]}, real ? Ty::kFloat : Ty::kInt);
    return out;
  }
  return nullptr;
}

S ScalarChecker::IntScalar(const Expr& e, const char* what) {
  S s = Scalar(e);
  if (s && s->type != Ty::kInt) {
    Error("AK1512", e.place, fmt::format("{} must be an integer", what),
          "use // to divide integers, or int(...)");
    return nullptr;
  }
  return s;
}

// Of math and torch.
static S Constant(const std::string& name) {
  if (name == "inf") return ir::Float(std::numeric_limits<double>::infinity());
  if (name == "pi") return ir::Float(std::numbers::pi);
  return name == "e" ? ir::Float(std::numbers::e) : nullptr;
}

S ScalarChecker::Scalar(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kInt: return ir::Int(e.int_value);
    case ExprKind::kFloat: return ir::Float(e.float_value);
    case ExprKind::kBool: return ir::Bool(e.bool_value);
    case ExprKind::kString: return ir::String(e.text);
    case ExprKind::kName: {
      if (auto it = scalars_.find(e.text); it != scalars_.end()) return it->second;
      if (e.text == "inf") return Constant(e.text);
      bool handled = false;
      S s = Special(e, handled);
      if (!handled) UnknownName(e);
      return s;
    }
    case ExprKind::kUnary: {
      S a = Scalar(*e.args[0]);
      if (!a) return nullptr;
      if (e.text == "+") return a;
      if (e.text == "~") {
        Error("AK1512", e.place, "'~' works on bool tiles only", "for scalars write 'not'");
        return nullptr;
      }
      return ir::Unary(e.text, a);
    }
    case ExprKind::kBinary: {
      if (e.text == "@") {
        Error("AK1512", e.place, "'@' multiplies matrices, not numbers",
              "products belong into a stage: with cube:");
        return nullptr;
      }
      S a = Scalar(*e.args[0]), b = Scalar(*e.args[1]);
      return a && b ? Arithmetic(e.text, a, b, e.place) : nullptr;
    }
    case ExprKind::kCompare:
    case ExprKind::kLogic: {
      if (e.args[0]->kind == ExprKind::kAttribute) {  // x.dtype == f16 compares no numbers
        bool handled = false;
        S s = Special(e, handled);
        if (handled) return s;
      }
      S a = Scalar(*e.args[0]), b = Scalar(*e.args[1]);
      if (!a || !b) return nullptr;
      if ((a->type == Ty::kString) != (b->type == Ty::kString)) {
        Error("AK1512", e.place, "a string is compared with a number");
        return nullptr;
      }
      return ir::Binary(e.text, a, b, Ty::kBool);
    }
    case ExprKind::kIfElse: {
      S v = Scalar(*e.args[0]), c = Scalar(*e.args[1]), o = Scalar(*e.args[2]);
      if (!v || !c || !o) return nullptr;
      auto s = std::make_shared<ir::Scalar>();
      s->kind = ir::SKind::kSelect;
      s->type = v->type == Ty::kFloat || o->type == Ty::kFloat ? Ty::kFloat : v->type;
      s->args = {v, c, o};
      return s;
    }
    case ExprKind::kCall: {
      static const std::vector<std::string> kCommon = {"min",   "max", "ceil_div",
                                                       "align", "int", "float"};
      std::string name = CalleeName(e);
      for (const auto& c : kCommon)
        if (name == c) return CommonCall(e);
      [[fallthrough]];
    }
    default: {
      if (e.kind == ExprKind::kAttribute && e.of_module && Constant(e.text))
        return Constant(e.text);
      bool handled = false;
      S s = Special(e, handled);
      if (!handled) {
        if (e.kind == ExprKind::kCall)
          NoFunction(e, "here", NamesInScope());
        else
          Error("AK1514", e.place, "this is not a number");
      }
      return s;
    }
  }
}

}  // namespace akgen::craft
