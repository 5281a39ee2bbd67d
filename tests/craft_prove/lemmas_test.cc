// Definitions and lemmas, at all small numbers: what the solver is told is true.
#include <gtest/gtest.h>

#include "craft/ir/scalar.h"
#include "craft/prove/lemmas.h"

namespace akgen::craft::prove {
namespace {

using Numbers = std::map<int, int64_t>;

int64_t ValueOf(const Poly& p, const Numbers& n) {
  int64_t sum = 0;
  for (const auto& [product, c] : p.terms()) {
    int64_t value = c;
    for (int a : product) value *= n.at(a);
    sum += value;
  }
  return sum;
}
bool Holds(const F& f, const Numbers& n) {
  switch (f->kind) {
    case Formula::kTrue: return true;
    case Formula::kFalse: return false;
    case Formula::kAtMost0: return ValueOf(f->poly, n) <= 0;
    case Formula::kIs0: return ValueOf(f->poly, n) == 0;
    case Formula::kAtom: return n.at(f->atom) != 0;
    case Formula::kNot: return !Holds(f->args[0], n);
    case Formula::kAnd:
      return std::ranges::all_of(f->args, [&](const F& a) { return Holds(a, n); });
    case Formula::kOr: return std::ranges::any_of(f->args, [&](const F& a) { return Holds(a, n); });
  }
  return false;
}

// All assignments of [low, high] to the first `count` atoms.
template <typename Function>
void ForAll(int count, int64_t low, int64_t high, const Function& function) {
  Numbers n;
  for (int i = 0; i < count; ++i) n[i] = low;
  for (;;) {
    function(n);
    int i = 0;
    while (i < count && ++n[i] > high) n[i++] = low;
    if (i == count) return;
  }
}

TEST(ProveLemmas, OfProductsHoldForAllSmallNumbers) {
  Terms terms;
  std::vector<Poly> v;
  for (const char* name : {"x", "y", "z", "c"}) v.push_back(Poly::Atom(terms.Fresh({name})));
  // Products with shared factors, squares, three factors, and bounds that may be multiplied.
  const std::vector<F> asked = {Le(v[0] * v[3], v[1] * v[3]),
                                Le(v[0] * v[1] * v[2], v[0] * v[0] + 3), Le(v[0], v[1] * 2 + 1),
                                Lt(v[2], v[1]), Eq(v[2] * v[3] * v[3], v[1] * v[1])};
  for (bool more : {false, true}) {
    const std::vector<F> lemmas = ProductLemmas(terms, asked, more);
    EXPECT_GT(lemmas.size(), more ? 100u : 60u);
    ForAll(4, -3, 3, [&](const Numbers& n) {
      for (const F& f : lemmas) ASSERT_TRUE(Holds(f, n)) << terms.Text(f);
    });
  }
}

TEST(ProveLemmas, OfProductsOfNumbersAtLeast0) {
  Terms terms;
  std::vector<Poly> v;
  for (const char* name : {"x", "y", "c"})
    v.push_back(Poly::Atom(terms.Fresh({name, false, true})));
  const std::vector<F> lemmas = ProductLemmas(terms, {Le(v[0] * v[2], v[1] * v[2] * v[2])});
  ForAll(3, 0, 5, [&](const Numbers& n) {
    for (const F& f : lemmas) ASSERT_TRUE(Holds(f, n)) << terms.Text(f);
  });
}

// As craft/interpret/scalars.h computes them.
int64_t CeilDivided(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct Defined {
  const char* name;
  Poly (*make)(Terms&, const Poly&, const Poly&);
  int64_t (*value)(int64_t, int64_t);
};
const Defined kDefined[] = {
    {"//", [](Terms& t, const Poly& a, const Poly& b) { return t.FloorDiv(a, b); },
     [](int64_t a, int64_t b) { return *ir::Computed("//", a, b); }},
    {"%", [](Terms& t, const Poly& a, const Poly& b) { return t.Modulo(a, b); },
     [](int64_t a, int64_t b) { return *ir::Computed("%", a, b); }},
    {"ceil_div", [](Terms& t, const Poly& a, const Poly& b) { return t.CeilDiv(a, b); },
     CeilDivided},
    {"min", [](Terms& t, const Poly& a, const Poly& b) { return t.Min(a, b); },
     [](int64_t a, int64_t b) { return std::min(a, b); }},
    {"max", [](Terms& t, const Poly& a, const Poly& b) { return t.Max(a, b); },
     [](int64_t a, int64_t b) { return std::max(a, b); }},
};

// Gives the atoms that are defined by others their values, by the names of what made them.
TEST(ProveLemmas, DefinitionsHoldAndAllowNothingElse) {
  for (const Defined& d : kDefined) {
    Terms terms;
    const Poly a = Poly::Atom(terms.Fresh({"a"})), b = Poly::Atom(terms.Fresh({"b"}));
    const Poly made = d.make(terms, a, b);
    ASSERT_GE(made.AsAtom(), 0) << d.name;
    ForAll(2, -7, 7, [&](Numbers n) {
      if (n[1] == 0 && std::string(d.name) != "min" && std::string(d.name) != "max") return;
      const int64_t value = d.value(n[0], n[1]);
      // A rest is defined by its quotient.
      if (std::string(d.name) == "%")
        n[terms.FloorDiv(a, b).AsAtom()] = *ir::Computed("//", n[0], n[1]);
      for (int64_t other = -60; other <= 60; ++other) {
        n[made.AsAtom()] = other;
        const std::vector<F>& all = terms.At(made.AsAtom()).defined;
        const bool allowed = std::ranges::all_of(all, [&](const F& f) { return Holds(f, n); });
        if (other == value)
          ASSERT_TRUE(allowed) << d.name << " " << n[0] << " " << n[1];
        else if (n[1] > 0)
          ASSERT_FALSE(allowed) << d.name << " " << n[0] << " " << n[1] << " is not " << other;
      }
    });
  }
}

// What is simplified has the value of what was written.
TEST(ProveLemmas, SimplifiedQuotientsAreRight) {
  Terms terms;
  const Poly a = Poly::Atom(terms.Fresh({"a"})), b = Poly::Atom(terms.Fresh({"b"}));
  EXPECT_EQ(terms.FloorDiv(a * b * 6, b * 3).Key(), (a * 2).Key());
  EXPECT_EQ(terms.Modulo(a * b * 6, b * 3).Key(), "0");
  // Of a part that is no multiple the quotient is taken: (a * b + 1) // b is a + 1 // b.
  const Poly q = terms.FloorDiv(a * b + 1, b) - a;
  ASSERT_GE(q.AsAtom(), 0);
  ForAll(2, -6, 6, [&](Numbers n) {
    if (n[1] == 0) return;
    n[q.AsAtom()] = *ir::Computed("//", n[0] * n[1] + 1, n[1]) - n[0];
    for (const F& f : terms.At(q.AsAtom()).defined) ASSERT_TRUE(Holds(f, n)) << n[0] << " " << n[1];
  });
  // Not so for ceil_div of what may be below 0: ceil_div(-4, 4) is 0 by its definition.
  EXPECT_EQ(CeilDivided(-4, 4), 0);
  EXPECT_NE(terms.CeilDiv(a * b, b).Key(), a.Key());
  const Poly n = Poly::Atom(terms.Fresh({"n", false, true})),
             m = Poly::Atom(terms.Fresh({"m", false, true}));
  EXPECT_EQ(terms.CeilDiv(n * m, m).Key(), n.Key());
}

// A divisor of two terms is a factor of itself alone.
TEST(ProveLemmas, SumsDivideThemselves) {
  Terms terms;
  const Poly a = Poly::Atom(terms.Fresh({"a"})), b = Poly::Atom(terms.Fresh({"b"}));
  EXPECT_EQ(terms.FloorDiv(a + b, a + b).Key(), "1");
  EXPECT_EQ(terms.Modulo(a + b, a + b).Key(), "0");
  for (const Poly& p : {a, a + b * 2, a * b + 1}) {
    const Poly q = terms.FloorDiv(p, a + b), r = terms.Modulo(p, a + b);
    ASSERT_TRUE(q.AsAtom() >= 0 && r.AsAtom() >= 0) << terms.Text(p);
    ForAll(2, -4, 4, [&](Numbers n) {
      if (n[0] + n[1] == 0) return;
      n[q.AsAtom()] = *ir::Computed("//", ValueOf(p, n), n[0] + n[1]);
      n[r.AsAtom()] = *ir::Computed("%", ValueOf(p, n), n[0] + n[1]);
      for (int atom : {q.AsAtom(), r.AsAtom()})
        for (const F& f : terms.At(atom).defined)
          ASSERT_TRUE(Holds(f, n)) << terms.Text(f) << n[0] << " " << n[1];
    });
  }
}

TEST(ProveLemmas, ChoicesHaveTheValueOfTheirBranch) {
  Terms terms;
  const Poly a = Poly::Atom(terms.Fresh({"a"})), b = Poly::Atom(terms.Fresh({"b"}));
  const Poly c = terms.Choose(Lt(a, b), a * 2, b + 1);
  ForAll(2, -5, 5, [&](Numbers n) {
    for (int64_t value = -12; value <= 12; ++value) {
      n[c.AsAtom()] = value;
      const bool allowed = std::ranges::all_of(terms.At(c.AsAtom()).defined,
                                               [&](const F& f) { return Holds(f, n); });
      EXPECT_EQ(allowed, value == (n[0] < n[1] ? n[0] * 2 : n[1] + 1));
    }
  });
}

}  // namespace
}  // namespace akgen::craft::prove
