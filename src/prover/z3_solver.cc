#include "prover/z3_solver.h"

#include <z3++.h>

#include <map>

namespace akgen::prover {
using craft::prove::F;
using craft::prove::Formula;
using craft::prove::Model;
using craft::prove::Poly;
using craft::prove::Product;
using craft::prove::Satisfiable;

namespace {
class Z3Solver : public craft::prove::Solver {
 public:
  explicit Z3Solver(unsigned steps) : steps_(steps) {}

  Satisfiable Check(const std::vector<F>& all, bool exact, Model* model) override {
    exact_ = exact;
    z3::solver solver(context_, z3::solver::simple());
    z3::params params(context_);
    params.set("rlimit", exact ? steps_ / 4 : steps_);
    solver.set(params);
    atoms_.clear();
    for (const F& f : all) solver.add(Translated(f));
    const z3::check_result result = solver.check();
    if (result == z3::unsat) return Satisfiable::kNo;
    if (result == z3::unknown) return Satisfiable::kUnknown;
    if (model) Read(solver.get_model(), *model);
    return Satisfiable::kYes;
  }

 private:
  z3::expr Atom(int atom) {
    atoms_.insert({atom, false});
    return context_.int_const(("a" + std::to_string(atom)).c_str());
  }
  z3::expr Condition(int atom) {
    atoms_.insert({atom, true});
    return context_.bool_const(("c" + std::to_string(atom)).c_str());
  }
  z3::expr Translated(const Product& product) {
    if (product.size() == 1) return Atom(product[0]);
    if (exact_) {
      z3::expr p = Atom(product[0]);
      for (size_t i = 1; i < product.size(); ++i) p = p * Atom(product[i]);
      return p;
    }
    std::string name = "p";
    for (int a : product) name += "_" + std::to_string(a);
    return context_.int_const(name.c_str());
  }
  z3::expr Translated(const Poly& p) {
    z3::expr_vector sum(context_);
    for (const auto& [product, coefficient] : p.terms()) {
      const z3::expr c = context_.int_val(coefficient);
      sum.push_back(product.empty() ? c : c * Translated(product));
    }
    return sum.empty() ? context_.int_val(0) : z3::sum(sum);
  }
  z3::expr Translated(const F& f) {
    switch (f->kind) {
      case Formula::kTrue: return context_.bool_val(true);
      case Formula::kFalse: return context_.bool_val(false);
      case Formula::kAtMost0: return Translated(f->poly) <= 0;
      case Formula::kIs0: return Translated(f->poly) == 0;
      case Formula::kAtom: return Condition(f->atom);
      case Formula::kNot: return !Translated(f->args[0]);
      default: break;
    }
    z3::expr_vector args(context_);
    for (const F& a : f->args) args.push_back(Translated(a));
    return f->kind == Formula::kAnd ? z3::mk_and(args) : z3::mk_or(args);
  }
  void Read(const z3::model& from, Model& to) {
    for (const auto& [atom, condition] : atoms_) {
      const z3::expr value = from.eval(condition ? Condition(atom) : Atom(atom), true);
      int64_t number = 0;
      if (condition)
        to[atom] = value.is_true();
      else if (value.is_numeral_i64(number))
        to[atom] = number;
    }
  }

  unsigned steps_;
  bool exact_ = false;
  z3::context context_;
  std::map<int, bool> atoms_;  // those that were translated; true: conditions
};
}  // namespace

std::unique_ptr<craft::prove::Solver> MakeSolver(unsigned steps) {
  return std::make_unique<Z3Solver>(steps);
}

}  // namespace akgen::prover
