// Integers and conditions of a program as a solver sees them. A sum of products stands for itself;
// a product of two or more atoms is opaque to the solver and known by instantiated lemmas alone
// (lemmas.h). An atom is a number or condition that nothing is known of but its definition.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace akgen::craft::prove {

using Product = std::vector<int>;  // atoms in order; none: 1

// A coefficient that does not fit 64 bits.
struct TooLarge {};

class Poly {
 public:
  Poly() = default;
  Poly(int64_t constant);  // NOLINT: a number is one
  static Poly Atom(int atom);
  static Poly Of(Product product, int64_t coefficient);

  const std::map<Product, int64_t>& terms() const { return terms_; }
  bool IsConst() const {
    return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first.empty());
  }
  int64_t Constant() const;  // its constant part
  // The atom, if it is nothing else; -1.
  int AsAtom() const;
  Poly operator+(const Poly& o) const;
  Poly operator-(const Poly& o) const;
  Poly operator*(const Poly& o) const;
  bool operator==(const Poly& o) const { return terms_ == o.terms_; }
  std::string Key() const;

 private:
  std::map<Product, int64_t> terms_;
};

struct Formula;
using F = std::shared_ptr<const Formula>;
struct Formula {
  enum Kind { kTrue, kFalse, kAtMost0, kIs0, kAnd, kOr, kNot, kAtom } kind = kTrue;
  Poly poly;            // kAtMost0, kIs0
  std::vector<F> args;  // kAnd, kOr, kNot
  int atom = -1;        // kAtom: a condition that is opaque
};
F True();
F False();
F Le(const Poly& a, const Poly& b);
F Lt(const Poly& a, const Poly& b);
F Eq(const Poly& a, const Poly& b);
F And(std::vector<F> args);
F Or(std::vector<F> args);
F Not(const F& a);
F Implies(const F& a, const F& b);
std::string Key(const F& f);

struct AtomInfo {
  std::string name;          // as it is printed
  bool condition = false;    // true or false, no number
  bool at_least_0 = false;   // whatever the shape
  bool of_data = false;      // an element of a tensor
  std::vector<F> defined{};  // what its definition says
  char made = 0;  // 'q', 'r': quotient and rest of `of` by `by`; 'm': the smaller or larger one of
                  // them; 's': where piece `of` begins, which has `by` elements
  Poly of{}, by{};
  std::string family{};  // a function of `of`: equal arguments give equal atoms of a family
  std::vector<std::string>
      lists{};  // 's': that say the extents of the pieces; of an element, its own
};

// All atoms of a proof. An expression that is met again is the same atom.
class Terms {
 public:
  const AtomInfo& At(int atom) const { return atoms_[static_cast<size_t>(atom)]; }
  size_t Size() const { return atoms_.size(); }
  int Fresh(AtomInfo info);
  // The atom of this key; made with `info` where it is new.
  int Named(const std::string& key, const AtomInfo& info);
  void FunctionOf(int atom, const std::string& family, const Poly& argument);
  void MadeOf(int atom, char how, const Poly& of, const Poly& by);
  void MeasuredBy(int atom, const std::vector<std::string>& lists) {
    atoms_[static_cast<size_t>(atom)].lists = lists;
  }
  void Define(int atom, F fact) {
    atoms_[static_cast<size_t>(atom)].defined.push_back(std::move(fact));
  }

  // As the language defines them: rounded down; ceil_div is (a + b - 1) divided by b, rounded
  // towards 0.
  Poly FloorDiv(const Poly& a, const Poly& b);
  Poly Modulo(const Poly& a, const Poly& b);
  Poly CeilDiv(const Poly& a, const Poly& b);
  Poly Min(const Poly& a, const Poly& b) { return Extreme(a, b, true); }
  Poly Max(const Poly& a, const Poly& b) { return Extreme(a, b, false); }
  Poly Choose(const F& condition, const Poly& yes, const Poly& no);
  bool AtLeast0(const Poly& p) const;  // by the signs of its parts alone

  std::string Text(const Poly& p) const;
  std::string Text(const F& f) const;

 private:
  Poly Extreme(const Poly& a, const Poly& b, bool smaller);
  std::vector<AtomInfo> atoms_;
  std::map<std::string, int> known_;
};

}  // namespace akgen::craft::prove
