#include "craft/prove/evaluate.h"

#include <fmt/format.h>

namespace akgen::craft::prove {
using ir::S;
using ir::SKind;
using ir::Ty;

Value Evaluator::Opaque(const std::string& key, const std::string& name, Ty type) {
  Value v;
  v.text = name;
  if (type == Ty::kInt) v.number = Poly::Atom(to_.terms.Named(key, {name}));
  if (type == Ty::kBool) {
    auto f = std::make_shared<Formula>();
    f->kind = Formula::kAtom;
    f->atom = to_.terms.Named(key, {name, true});
    v.condition = f;
  }
  return v;
}

void Evaluator::Need(const char* kind, const F& goal, const std::string& what) {
  if (!silent_ &&
      asked_.insert(fmt::format("{}:{}:{}:{}", kind, place_.line, scope_, Key(goal))).second)
    to_.obligations.push_back({kind, place_, what, facts_, goal});
  if (goal->kind != Formula::kTrue) facts_.push_back(goal);
}

std::string Evaluator::Text(const S& s) {
  if (s->kind == SKind::kConst) return ir::ToText(s);
  const Value v = Eval(s);
  if (s->type == Ty::kInt) return to_.terms.Text(v.number);
  if (s->type == Ty::kBool) return to_.terms.Text(v.condition);
  return v.text;
}

F Evaluator::Condition(const S& s) {
  const Value v = Eval(s);
  if (v.condition) return v.condition;
  return s->type == Ty::kInt ? Not(Eq(v.number, 0))
                             : Opaque("nonzero " + v.text, v.text, Ty::kBool).condition;
}

Value Evaluator::Eval(const S& s) {
  Value v;
  switch (s->kind) {
    case SKind::kConst:
      if (s->type == Ty::kInt) v.number = s->i;
      if (s->type == Ty::kBool) v.condition = s->i ? True() : False();
      v.text = ir::ToText(s);
      return v;
    case SKind::kVar: {
      auto it = env_.find(s->text);
      return it != env_.end() ? it->second : Opaque("free " + s->text, s->text, s->type);
    }
    case SKind::kUnary:
      if (s->text == "not")
        v.condition = Not(Condition(s->args[0]));
      else if (s->type == Ty::kInt)
        v.number = Poly(0) - Int(s->args[0]);
      else
        v.text = "-" + Text(s->args[0]);
      return v;
    case SKind::kSelect: {
      const F c = Condition(s->args[1]);
      const Value yes = Under(c, s->args[0]), no = Under(Not(c), s->args[2]);
      if (s->type == Ty::kInt)
        v.number = to_.terms.Choose(c, yes.number, no.number);
      else if (s->type == Ty::kBool)
        v.condition = Or({And({c, yes.condition}), And({Not(c), no.condition})});
      else
        v.text = fmt::format("({} if {} else {})", Text(s->args[0]), to_.terms.Text(c),
                             Text(s->args[2]));
      return v;
    }
    case SKind::kBinary: return Binary(*s);
    case SKind::kCall: return Call(s);
  }
  return v;
}

Value Evaluator::Under(const F& condition, const S& s) {
  Scope scope(*this, condition);
  return Eval(s);
}

F Evaluator::Compare(const ir::Scalar& s) {
  const S &a = s.args[0], &b = s.args[1];
  const std::string& op = s.text;
  if (a->type == Ty::kInt && b->type == Ty::kInt) {
    const Poly x = Int(a), y = Int(b);
    if (op == "==" || op == "!=") return op == "==" ? Eq(x, y) : Not(Eq(x, y));
    return op == "<" ? Lt(x, y) : op == "<=" ? Le(x, y) : op == ">" ? Lt(y, x) : Le(y, x);
  }
  if (a->type == Ty::kBool && b->type == Ty::kBool && (op == "==" || op == "!=")) {
    const F x = Condition(a), y = Condition(b), same = Or({And({x, y}), And({Not(x), Not(y)})});
    return op == "==" ? same : Not(same);
  }
  // Texts decide nothing but whether the same is asked again.
  const std::string text = fmt::format("{} {} {}", Text(a), op == "!=" ? "==" : op, Text(b));
  const F f = Opaque("compare " + text, text, Ty::kBool).condition;
  for (AttrSymbols& attr : to_.attrs)
    if (a->kind == SKind::kVar && attr.name == a->text && b->kind == SKind::kConst &&
        b->type == Ty::kString)
      attr.strings[b->text] = f->atom;
  return op == "!=" ? Not(f) : f;
}

Value Evaluator::Binary(const ir::Scalar& s) {
  Value v;
  const std::string& op = s.text;
  if (op == "and" ||
      op == "or") {  // the right side is looked at only where the left one does not decide
    const F left = Condition(s.args[0]);
    Scope scope(*this, op == "and" ? left : Not(left));
    const F right = Condition(s.args[1]);
    v.condition = op == "and" ? And({left, right}) : Or({left, right});
    return v;
  }
  if (s.type == Ty::kBool) return v.condition = Compare(s), v;
  if (s.type != Ty::kInt) {
    v.text = fmt::format("({} {} {})", Text(s.args[0]), op, Text(s.args[1]));
    return v;
  }
  const Poly a = Int(s.args[0]), b = Int(s.args[1]);
  if (op == "+") v.number = a + b;
  if (op == "-") v.number = a - b;
  if (op == "*") v.number = a * b;
  if (op != "//" && op != "%") return v;
  Need("divisor", Or({Le(1, b), Le(b, -1)}), to_.terms.Text(b) + " is not 0");
  v.number = op == "//" ? to_.terms.FloorDiv(a, b) : to_.terms.Modulo(a, b);
  return v;
}

Value Evaluator::Call(const S& s) {
  Value v;
  const std::string& f = s->text;
  if (s->type == Ty::kInt && (f == "min" || f == "max")) {
    const Poly a = Int(s->args[0]), b = Int(s->args[1]);
    v.number = f == "min" ? to_.terms.Min(a, b) : to_.terms.Max(a, b);
    return v;
  }
  if (f == "ceil_div") {
    const Poly a = Int(s->args[0]), b = Int(s->args[1]);
    Need("divisor", Or({Le(1, b), Le(b, -1)}), to_.terms.Text(b) + " is not 0");
    v.number = to_.terms.CeilDiv(a, b);
    return v;
  }
  if (f == "int" && s->args[0]->type != Ty::kFloat) {
    if (s->args[0]->type == Ty::kBool)
      v.number = to_.terms.Choose(Condition(s->args[0]), 1, 0);
    else
      v.number = Int(s->args[0]);
    return v;
  }
  if (f == "tune") {
    v = Opaque("tune " + s->tensor, f + "(…)", Ty::kInt);
    std::vector<F> choices;
    for (const S& a : s->args) choices.push_back(Eq(v.number, Int(a)));
    facts_.push_back(Or(choices));
    to_.tunes.push_back({v.number.AsAtom(), Int(s->args[0])});
    return v;
  }
  static const std::set<std::string> kOfNumbers = {"int", "float", "sqrt", "exp",
                                                   "log", "pow",   "min",  "max"};
  if (!kOfNumbers.count(f)) return Special(*s);
  std::string text;
  for (const S& a : s->args) text += (text.empty() ? "" : ", ") + Text(a);
  text = fmt::format("{}({})", f, text);
  return s->type == Ty::kInt ? Opaque("number " + text, text, Ty::kInt) : (v.text = text, v);
}

}  // namespace akgen::craft::prove
