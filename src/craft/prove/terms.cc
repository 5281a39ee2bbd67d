#include "craft/prove/terms.h"

#include <fmt/format.h>

#include <algorithm>

namespace akgen::craft::prove {

Poly::Poly(int64_t constant) {
  if (constant) terms_[{}] = constant;
}
Poly Poly::Atom(int atom) { return Of({atom}, 1); }
Poly Poly::Of(Product product, int64_t coefficient) {
  Poly p;
  if (coefficient) p.terms_[std::move(product)] = coefficient;
  return p;
}
int64_t Poly::Constant() const {
  auto it = terms_.find({});
  return it == terms_.end() ? 0 : it->second;
}
int Poly::AsAtom() const {
  if (terms_.size() != 1) return -1;
  const auto& [product, coefficient] = *terms_.begin();
  return product.size() == 1 && coefficient == 1 ? product[0] : -1;
}

static void AddTerm(std::map<Product, int64_t>& to, const Product& product, int64_t coefficient) {
  int64_t& c = to[product];
  if (__builtin_add_overflow(c, coefficient, &c)) throw TooLarge{};
  if (c == 0) to.erase(product);
}
Poly Poly::operator+(const Poly& o) const {
  Poly out = *this;
  for (const auto& [product, c] : o.terms_) AddTerm(out.terms_, product, c);
  return out;
}
Poly Poly::operator-(const Poly& o) const { return *this + o * Poly(-1); }
Poly Poly::operator*(const Poly& o) const {
  Poly out;
  for (const auto& [a, x] : terms_)
    for (const auto& [b, y] : o.terms_) {
      Product both(a.size() + b.size());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
      int64_t c = 0;
      if (__builtin_mul_overflow(x, y, &c)) throw TooLarge{};
      AddTerm(out.terms_, both, c);
    }
  return out;
}
std::string Poly::Key() const {
  std::string out;
  for (const auto& [product, c] : terms_) {
    out += fmt::format("{}{}", out.empty() || c < 0 ? "" : "+", c);
    for (int a : product) out += fmt::format("*{}", a);
  }
  return out.empty() ? "0" : out;
}

static F Make(Formula f) { return std::make_shared<const Formula>(std::move(f)); }
F True() {
  static const F f = Make({Formula::kTrue, {}, {}, -1});
  return f;
}
F False() {
  static const F f = Make({Formula::kFalse, {}, {}, -1});
  return f;
}
F Le(const Poly& a, const Poly& b) {
  Poly d = a - b;
  if (d.IsConst()) return d.Constant() <= 0 ? True() : False();
  return Make({Formula::kAtMost0, d, {}, -1});
}
F Lt(const Poly& a, const Poly& b) { return Le(a + 1, b); }
F Eq(const Poly& a, const Poly& b) {
  Poly d = a - b;
  if (d.IsConst()) return d.Constant() == 0 ? True() : False();
  return Make({Formula::kIs0, d, {}, -1});
}
static F Joined(Formula::Kind kind, std::vector<F> args) {
  const Formula::Kind neutral = kind == Formula::kAnd ? Formula::kTrue : Formula::kFalse;
  const Formula::Kind decides = kind == Formula::kAnd ? Formula::kFalse : Formula::kTrue;
  std::erase_if(args, [&](const F& f) { return f->kind == neutral; });
  for (const F& f : args)
    if (f->kind == decides) return f;
  if (args.empty()) return neutral == Formula::kTrue ? True() : False();
  return args.size() == 1 ? args[0] : Make({kind, {}, std::move(args), -1});
}
F And(std::vector<F> args) { return Joined(Formula::kAnd, std::move(args)); }
F Or(std::vector<F> args) { return Joined(Formula::kOr, std::move(args)); }
F Not(const F& a) {
  switch (a->kind) {
    case Formula::kTrue: return False();
    case Formula::kFalse: return True();
    case Formula::kNot: return a->args[0];
    case Formula::kAtMost0: return Le(Poly(1), a->poly);
    default: return Make({Formula::kNot, {}, {a}, -1});
  }
}
F Implies(const F& a, const F& b) { return Or({Not(a), b}); }

std::string Key(const F& f) {
  switch (f->kind) {
    case Formula::kTrue: return "T";
    case Formula::kFalse: return "F";
    case Formula::kAtMost0: return "(" + f->poly.Key() + "<=0)";
    case Formula::kIs0: return "(" + f->poly.Key() + "=0)";
    case Formula::kAtom: return fmt::format("c{}", f->atom);
    default: break;
  }
  std::string out = f->kind == Formula::kAnd ? "&(" : f->kind == Formula::kOr ? "|(" : "!(";
  for (const F& a : f->args) out += Key(a);
  return out + ")";
}

int Terms::Fresh(AtomInfo info) {
  atoms_.push_back(std::move(info));
  return static_cast<int>(atoms_.size()) - 1;
}
int Terms::Named(const std::string& key, const AtomInfo& info) {
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  return known_[key] = Fresh(info);
}

void Terms::MadeOf(int atom, char how, const Poly& of, const Poly& by) {
  AtomInfo& a = atoms_[static_cast<size_t>(atom)];
  a.made = how, a.of = of, a.by = by;
}

void Terms::FunctionOf(int atom, const std::string& family, const Poly& argument) {
  atoms_[static_cast<size_t>(atom)].family = family;
  atoms_[static_cast<size_t>(atom)].of = argument;
}

bool Terms::AtLeast0(const Poly& p) const {
  return std::ranges::all_of(p.terms(), [&](const auto& t) {
    return t.second >= 0 && std::ranges::all_of(t.first, [&](int a) { return At(a).at_least_0; });
  });
}

namespace {
// p = quotient * b + rest, as far as the terms of p are multiples of b, which has one term.
bool DividedBy(const Poly& p, const Poly& b, Poly& quotient, Poly& rest) {
  if (b.terms().size() != 1) {
    quotient = p == b ? Poly(1) : Poly(0);
    rest = p == b ? Poly(0) : p;
    return p == b;
  }
  const auto& [by, c] = *b.terms().begin();
  for (const auto& [product, coefficient] : p.terms()) {
    if (coefficient % c == 0 && std::ranges::includes(product, by)) {
      Product left;
      std::ranges::set_difference(product, by, std::back_inserter(left));
      quotient = quotient + Poly::Of(left, coefficient / c);
    } else {
      rest = rest + Poly::Of(product, coefficient);
    }
  }
  return rest.terms().empty();
}
}  // namespace

// Of a value that is no multiple: b >= 1 gives q * b <= a < q * b + b, b <= -1 the same with the
// signs changed.
Poly Terms::FloorDiv(const Poly& a, const Poly& b) {
  if (b == Poly(1)) return a;
  if (a.IsConst() && b.IsConst() && b.Constant() != 0 && a.Constant() != INT64_MIN) {
    const int64_t x = a.Constant(), y = b.Constant(), q = x / y;
    return q - ((x % y != 0) && ((x < 0) != (y < 0)) ? 1 : 0);
  }
  Poly exact, rest;
  if (DividedBy(a, b, exact, rest)) return exact;
  const std::string key = "q" + rest.Key() + "/" + b.Key();
  const size_t before = Size();
  const Poly q = Poly::Atom(Named(key, {fmt::format("({}) // ({})", Text(rest), Text(b)), false,
                                        AtLeast0(rest) && AtLeast0(b)}));
  if (Size() != before) {
    const int atom = q.AsAtom();
    MadeOf(atom, 'q', rest, b);
    const F positive = Le(1, b);
    Define(atom, Implies(positive, And({Le(q * b, rest), Lt(rest, q * b + b)})));
    Define(atom, Implies(And({positive, Le(0, rest)}), And({Le(0, q), Le(q, rest)})));
    Define(atom, Implies(Le(b, -1), And({Le(rest, q * b), Lt(q * b + b, rest)})));
  }
  return exact + q;
}

Poly Terms::Modulo(const Poly& a, const Poly& b) {
  if (a.IsConst() && b.IsConst() && b.Constant() != 0) return a - FloorDiv(a, b) * b;
  Poly exact, rest;
  if (DividedBy(a, b, exact, rest) || b == Poly(1)) return 0;
  const Poly q = FloorDiv(rest, b);
  const size_t before = Size();
  const Poly r = Poly::Atom(Named(
      "r" + rest.Key() + "/" + b.Key(),
      {fmt::format("({}) % ({})", Text(rest), Text(b)), false, AtLeast0(rest) && AtLeast0(b)}));
  if (Size() != before) {
    const int atom = r.AsAtom();
    MadeOf(atom, 'r', rest, b);
    Define(atom, Eq(r, rest - q * b));
    Define(atom, Implies(Le(1, b), And({Le(0, r), Lt(r, b)})));
    Define(atom, Implies(Le(b, -1), And({Le(r, 0), Lt(b, r)})));
    Define(atom, Implies(And({Le(1, b), Le(0, rest)}), Le(r, rest)));
    Define(atom, Implies(And({Le(0, rest), Lt(rest, b)}), Eq(r, rest)));
  }
  return r;
}

Poly Terms::CeilDiv(const Poly& a, const Poly& b) {
  if (b == Poly(1)) return a;
  if (a.IsConst() && b.IsConst() && b.Constant() != 0)
    return (a.Constant() + b.Constant() - 1) / b.Constant();
  Poly exact, rest;
  if (AtLeast0(a) && AtLeast0(b) && DividedBy(a, b, exact, rest)) return exact;
  const size_t before = Size();
  const Poly q = Poly::Atom(Named(
      "u" + a.Key() + "/" + b.Key(),
      {fmt::format("ceil_div({}, {})", Text(a), Text(b)), false, AtLeast0(a) && AtLeast0(b)}));
  if (Size() != before) {
    const int atom = q.AsAtom();
    const Poly n = a + b - 1;
    const F positive = Le(1, b);
    Define(atom, Implies(And({positive, Le(0, n)}), And({Le(q * b, n), Le(a, q * b), Le(0, q)})));
    Define(atom, Implies(And({positive, Le(0, n), Le(0, a)}), Le(q, a)));
    Define(atom, Implies(And({positive, Le(1, a)}), Le(1, q)));
    Define(atom,
           Implies(And({positive, Lt(n, 0)}), And({Le(q, 0), Le(n, q * b), Lt(q * b - b, n)})));
  }
  return q;
}

Poly Terms::Extreme(const Poly& a, const Poly& b, bool smaller) {
  const Poly d = a - b;
  if (d.IsConst()) return (d.Constant() <= 0) == smaller ? a : b;
  const bool turned = b.Key() < a.Key();
  const Poly &x = turned ? b : a, &y = turned ? a : b;
  const size_t before = Size();
  const bool at_least_0 = smaller ? AtLeast0(x) && AtLeast0(y) : AtLeast0(x) || AtLeast0(y);
  const Poly m = Poly::Atom(Named(
      (smaller ? "min" : "max") + x.Key() + "," + y.Key(),
      {fmt::format("{}({}, {})", smaller ? "min" : "max", Text(a), Text(b)), false, at_least_0}));
  if (Size() != before) {
    const int atom = m.AsAtom();
    MadeOf(atom, 'm', x, y);
    Define(atom, smaller ? And({Le(m, x), Le(m, y)}) : And({Le(x, m), Le(y, m)}));
    Define(atom, Or({Eq(m, x), Eq(m, y)}));
  }
  return m;
}

Poly Terms::Choose(const F& condition, const Poly& yes, const Poly& no) {
  if (condition->kind == Formula::kTrue || yes == no) return yes;
  if (condition->kind == Formula::kFalse) return no;
  const size_t before = Size();
  const Poly v =
      Poly::Atom(Named("if" + prove::Key(condition) + "," + yes.Key() + "," + no.Key(),
                       {fmt::format("({} if {} else {})", Text(yes), Text(condition), Text(no)),
                        false, AtLeast0(yes) && AtLeast0(no)}));
  if (Size() != before) {
    Define(v.AsAtom(), Implies(condition, Eq(v, yes)));
    Define(v.AsAtom(), Implies(Not(condition), Eq(v, no)));
  }
  return v;
}

std::string Terms::Text(const Poly& p) const {
  std::string out;
  for (const auto& [product, c] : p.terms()) {
    std::string term;
    for (int a : product) term += (term.empty() ? "" : " * ") + At(a).name;
    if (term.empty())
      term = std::to_string(c < 0 ? -c : c);
    else if (c != 1 && c != -1)
      term = fmt::format("{} * {}", c < 0 ? -c : c, term);
    out += out.empty() ? (c < 0 ? "-" : "") + term : (c < 0 ? " - " : " + ") + term;
  }
  return out.empty() ? "0" : out;
}

std::string Terms::Text(const F& f) const {
  // What is added goes left, what is subtracted right.
  auto sides = [&](const char* op) {
    Poly left, right;
    for (const auto& [product, c] : f->poly.terms())
      if (c > 0)
        left = left + Poly::Of(product, c);
      else
        right = right - Poly::Of(product, c);
    return fmt::format("{} {} {}", Text(left), op, Text(right));
  };
  switch (f->kind) {
    case Formula::kTrue: return "True";
    case Formula::kFalse: return "False";
    case Formula::kAtMost0: return sides("<=");
    case Formula::kIs0: return sides("==");
    case Formula::kAtom: return At(f->atom).name;
    case Formula::kNot: return "not (" + Text(f->args[0]) + ")";
    default: break;
  }
  std::string out;
  for (const F& a : f->args) {
    const bool deep = a->kind == Formula::kAnd || a->kind == Formula::kOr;
    out += (out.empty()                ? ""
            : f->kind == Formula::kAnd ? " and "
                                       : " or ") +
           (deep ? "(" + Text(a) + ")" : Text(a));
  }
  return out;
}

}  // namespace akgen::craft::prove
