#include "craft/prove/lemmas.h"

#include <algorithm>
#include <iterator>

namespace akgen::craft::prove {
namespace {
constexpr int64_t kLargest = 1 << 20;  // of numbers that products are compared with

void ProductsIn(const F& f, std::set<Product>& out) {
  for (const auto& [product, c] : f->poly.terms()) out.insert(product);
  for (const F& a : f->args) ProductsIn(a, out);
}
void AtomsIn(const F& f, std::set<int>& out) {
  if (f->kind == Formula::kAtom) out.insert(f->atom);
  for (const auto& [product, c] : f->poly.terms()) out.insert(product.begin(), product.end());
  for (const F& a : f->args) AtomsIn(a, out);
}
Product Without(const Product& p, int atom) {
  Product out = p;
  out.erase(std::ranges::find(out, atom));
  return out;
}

void Alone(const Terms& terms, const Product& product, int x, const Product& rest,
           std::vector<F>& out) {
  const Poly p = Poly::Of(product, 1), a = Poly::Atom(x), c = Poly::Of(rest, 1);
  if (terms.AtLeast0(p)) {
    out.push_back(Le(0, p));
  } else {
    out.push_back(Implies(And({Le(0, a), Le(0, c)}), Le(0, p)));
    out.push_back(Implies(And({Le(a, 0), Le(0, c)}), Le(p, 0)));
    out.push_back(Implies(And({Le(0, a), Le(c, 0)}), Le(p, 0)));
    out.push_back(Implies(And({Le(a, 0), Le(c, 0)}), Le(0, p)));
  }
  out.push_back(Implies(And({Le(1, a), Le(1, c)}), Le(a + c - 1, p)));
  out.push_back(Implies(Eq(a, 0), Eq(p, 0)));
  out.push_back(Implies(Eq(c, 0), Eq(p, 0)));
  out.push_back(Implies(Eq(a, 1), Eq(p, c)));
  if (rest.size() == 1) out.push_back(Implies(Eq(c, 1), Eq(p, a)));
}

void Together(int x, int y, const Product& rest, std::vector<F>& out) {
  const Poly a = Poly::Atom(x), b = Poly::Atom(y), c = Poly::Of(rest, 1);
  const Poly p = a * c, q = b * c;
  const F sign = Le(0, c);
  out.push_back(Implies(And({sign, Lt(a, b)}), Le(p + c, q)));
  out.push_back(Implies(And({sign, Lt(b, a)}), Le(q + c, p)));
  out.push_back(Implies(Eq(a, b), Eq(p, q)));
}

void AtMost0In(const F& f, std::map<std::string, Poly>& out) {
  if (f->kind == Formula::kAtMost0 && f->poly.terms().size() > 1)
    out.insert({f->poly.Key(), f->poly});
  for (const F& a : f->args) AtMost0In(a, out);
}

// p <= 0 and c >= 0 give p * c <= 0: where all products of p and the atom c are there already.
void Multiplied(const std::vector<F>& all, const std::set<Product>& products, std::vector<F>& out) {
  std::map<std::string, Poly> bounds;
  for (const F& f : all) AtMost0In(f, bounds);
  for (const auto& [key, p] : bounds) {
    const Product* first = nullptr;
    for (const auto& [product, c] : p.terms())
      if (!product.empty()) first = &product;
    std::set<int> factors;
    for (const Product& product : products)
      if (product.size() == first->size() + 1 && std::ranges::includes(product, *first)) {
        Product left;
        std::ranges::set_difference(product, *first, std::back_inserter(left));
        factors.insert(left[0]);
      }
    for (int factor : factors) {
      const Poly c = Poly::Atom(factor), product = p * c;
      if (std::ranges::all_of(product.terms(), [&](const auto& t) {
            return t.first.size() < 2 || products.count(t.first);
          }))
        out.push_back(Implies(And({Le(p, 0), Le(0, c)}), Le(product, 0)));
    }
  }
}

// Where two atoms are compared and one of them is multiplied, the other one is multiplied alike.
void Compared(const std::vector<F>& all, std::set<Product>& products) {
  constexpr size_t kLimit = 120;
  std::map<std::string, Poly> bounds;
  for (const F& f : all) AtMost0In(f, bounds);
  std::set<std::pair<int, int>> pairs;
  for (const auto& [key, p] : bounds) {
    std::vector<int> atoms;
    int64_t sum = 0;
    for (const auto& [product, c] : p.terms()) {
      if (product.size() == 1)
        atoms.push_back(product[0]), sum += c;
      else if (product.size() > 1)
        atoms.resize(3);
    }
    if (atoms.size() != 2 || sum != 0) continue;
    pairs.insert({atoms[0], atoms[1]});
    pairs.insert({atoms[1], atoms[0]});
  }
  std::set<Product> added;
  for (const Product& p : products)
    for (const auto& [x, y] : pairs)
      if (p.size() > 1 && std::ranges::count(p, x) && added.size() < kLimit) {
        Product other = Without(p, x);
        other.insert(std::ranges::upper_bound(other, y), y);
        added.insert(other);
      }
  products.insert(added.begin(), added.end());
}

// Where an atom is compared with a number, what it is multiplied by is multiplied by that number.
void Bounded(const std::vector<F>& all, const std::set<Product>& products, std::vector<F>& out) {
  constexpr size_t kLimit = 120;
  std::set<std::pair<int, int64_t>> bounds;  // an atom, and a number that it may reach
  auto look = [&](const auto& self, const F& f) -> void {
    for (const F& a : f->args) self(self, a);
    if (f->kind != Formula::kAtMost0) return;
    const int64_t k = f->poly.Constant();
    const Poly rest = f->poly - k;
    if (k < -kLargest || k > kLargest) return;
    if (const int x = rest.AsAtom(); x >= 0) {  // x <= -k, or x >= 1 - k
      bounds.insert({x, -k});
      bounds.insert({x, 1 - k});
    } else if (const int y = (Poly(0) - rest).AsAtom(); y >= 0) {  // y >= k, or y <= k - 1
      bounds.insert({y, k});
      bounds.insert({y, k - 1});
    }
  };
  for (const F& f : all) look(look, f);
  const size_t before = out.size();
  for (const Product& product : products)
    for (const auto& [x, n] : bounds) {
      if (product.size() < 2 || n < 2 || !std::ranges::count(product, x)) continue;
      if (out.size() - before >= kLimit) return;
      const Poly p = Poly::Of(product, 1), a = Poly::Atom(x), c = Poly::Of(Without(product, x), 1);
      out.push_back(Implies(And({Le(a, n), Le(0, c)}), Le(p, c * n)));
      out.push_back(Implies(And({Le(n, a), Le(0, c)}), Le(c * n, p)));
    }
}

}  // namespace

namespace {
Poly Replaced(const Poly& p, int atom, const Poly& by) {
  Poly out;
  for (const auto& [product, c] : p.terms()) {
    Poly term = c;
    for (int a : product) term = term * (a == atom ? by : Poly::Atom(a));
    out = out + term;
  }
  return out;
}
F Replaced(const F& f, int atom, const Poly& by) {
  std::vector<F> args;
  for (const F& a : f->args) args.push_back(Replaced(a, atom, by));
  switch (f->kind) {
    case Formula::kAtMost0: return Le(Replaced(f->poly, atom, by), 0);
    case Formula::kIs0: return Eq(Replaced(f->poly, atom, by), 0);
    case Formula::kAnd: return And(std::move(args));
    case Formula::kOr: return Or(std::move(args));
    case Formula::kNot: return Not(args[0]);
    default: return f;
  }
}
// The last atom of p = 0 that stands alone in it, and what it is equal to.
bool Solved(const Poly& p, int& atom, Poly& by) {
  for (auto t = p.terms().rbegin(); t != p.terms().rend(); ++t) {
    const auto& [product, c] = *t;
    if (product.size() != 1 || (c != 1 && c != -1)) continue;
    const bool alone = std::ranges::all_of(p.terms(), [&](const auto& other) {
      return other.first == product || std::ranges::count(other.first, product[0]) == 0;
    });
    if (!alone) continue;
    atom = product[0];
    by = (Poly::Of(product, c) - p) * Poly(c);
    return true;
  }
  return false;
}
void Equalities(const F& f, std::vector<Poly>& out) {
  if (f->kind == Formula::kIs0) out.push_back(f->poly);
  if (f->kind == Formula::kAnd)
    for (const F& a : f->args) Equalities(a, out);
}
}  // namespace

std::vector<F> WithEqualities(std::vector<F> all) {
  constexpr int kLimit = 24;
  for (int n = 0; n < kLimit; ++n) {
    std::vector<Poly> equal;
    for (const F& f : all) Equalities(f, equal);
    int atom = -1;
    Poly by;
    if (std::ranges::none_of(equal, [&](const Poly& p) { return Solved(p, atom, by); })) break;
    for (F& f : all) f = Replaced(f, atom, by);
    std::erase_if(all, [](const F& f) { return f->kind == Formula::kTrue; });
  }
  return all;
}

std::set<int> AtomsOf(const F& f) {
  std::set<int> out;
  AtomsIn(f, out);
  return out;
}

std::vector<F> WithDefinitions(const Terms& terms, std::vector<F> roots) {
  std::set<int> seen;
  for (size_t i = 0; i < roots.size(); ++i) {
    std::set<int> atoms;
    AtomsIn(roots[i], atoms);
    for (int a : atoms)
      if (seen.insert(a).second)
        roots.insert(roots.end(), terms.At(a).defined.begin(), terms.At(a).defined.end());
  }
  return roots;
}

std::vector<F> FunctionLemmas(const Terms& terms, const std::vector<F>& all) {
  std::vector<F> out;
  std::set<int> atoms;
  for (const F& f : all) AtomsIn(f, atoms);
  std::map<std::string, std::vector<int>> families;
  for (int a : atoms)
    if (!terms.At(a).family.empty()) families[terms.At(a).family].push_back(a);
  for (const auto& [family, members] : families)
    for (size_t i = 0; i < members.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        out.push_back(Implies(Eq(terms.At(members[i]).of, terms.At(members[j]).of),
                              Eq(Poly::Atom(members[i]), Poly::Atom(members[j]))));
  for (const auto& [family, members] : families)
    for (int i : members)
      for (int j : members)
        if (i != j && terms.At(i).made == 's')
          out.push_back(Implies(Lt(terms.At(i).of, terms.At(j).of),
                                Le(Poly::Atom(i) + terms.At(i).by, Poly::Atom(j))));
  return out;
}

std::vector<F> ProductLemmas(const Terms& terms, const std::vector<F>& all, bool more) {
  constexpr size_t kLongest = 6;
  std::set<Product> products;
  for (const F& f : all) ProductsIn(f, products);
  if (more) Compared(all, products);
  std::vector<Product> queue(products.begin(), products.end());
  std::map<Product, std::set<int>> by_rest;
  std::vector<F> out;
  for (size_t i = 0; i < queue.size(); ++i) {
    const Product p = queue[i];
    if (p.size() < 2 || p.size() > kLongest) continue;
    const std::set<int> atoms(p.begin(), p.end());
    for (int x : atoms) {
      const Product rest = Without(p, x);
      if (products.insert(rest).second) queue.push_back(rest);
      by_rest[rest].insert(x);
      if (p.size() > 2 || rest[0] <= x) Alone(terms, p, x, rest, out);
    }
  }
  for (const auto& [rest, factors] : by_rest)
    for (auto x = factors.begin(); x != factors.end(); ++x)
      for (auto y = std::next(x); y != factors.end(); ++y) Together(*x, *y, rest, out);
  Multiplied(all, products, out);
  if (more) Bounded(all, products, out);
  return out;
}

}  // namespace akgen::craft::prove
