// What the solver answers, and with which numbers: each kind of formula, products as opaque and as
// exact ones, limits.
#include <gtest/gtest.h>

#include "craft/prove/prove.h"
#include "prover/z3_solver.h"

namespace akgen::craft::prove {
namespace {

const Poly x = Poly::Atom(1), y = Poly::Atom(2), z = Poly::Atom(3);
F Condition(int atom) {
  auto f = std::make_shared<Formula>();
  f->kind = Formula::kAtom, f->atom = atom;
  return f;
}

struct Row {
  const char* what;
  std::vector<F> all;
  bool exact;
  Satisfiable answer;
  Model model;  // the only one there is
};
const Row kRows[] = {
    {"nothing is asked", {}, false, Satisfiable::kYes, {}},
    {"false", {False()}, false, Satisfiable::kNo, {}},
    {"true", {True()}, false, Satisfiable::kYes, {}},
    {"not true", {Not(True())}, false, Satisfiable::kNo, {}},
    {"equal", {Eq(x, 7)}, false, Satisfiable::kYes, {{1, 7}}},
    {"equal to nothing", {Eq(x, 0)}, false, Satisfiable::kYes, {{1, 0}}},
    {"between", {Le(x, 5), Lt(4, x)}, false, Satisfiable::kYes, {{1, 5}}},
    {"between nothing", {Lt(x, 5), Lt(4, x)}, false, Satisfiable::kNo, {}},
    {"a sum", {Eq(x + y * 2, 9), Eq(x - y, 3)}, false, Satisfiable::kYes, {{1, 5}, {2, 2}}},
    {"both", {And({Le(x, 2), Le(2, x)})}, false, Satisfiable::kYes, {{1, 2}}},
    {"one of two", {Or({Eq(x, 2), Eq(x, 3)}), Not(Eq(x, 2))}, false, Satisfiable::kYes, {{1, 3}}},
    {"no one of two", {Or({Eq(x, 2), Eq(x, 3)}), Lt(x, 2)}, false, Satisfiable::kNo, {}},
    {"a condition", {Condition(4)}, false, Satisfiable::kYes, {{4, 1}}},
    {"no condition", {Not(Condition(4)), Eq(x, 1)}, false, Satisfiable::kYes, {{1, 1}, {4, 0}}},
    {"both ways", {Condition(4), Not(Condition(4))}, false, Satisfiable::kNo, {}},
    {"it follows",
     {Implies(Condition(4), Eq(x, 3)), Condition(4)},
     false,
     Satisfiable::kYes,
     {{1, 3}, {4, 1}}},
    {"a product is any number", {Eq(x * y, 7), Eq(x, 2)}, false, Satisfiable::kYes, {{1, 2}}},
    {"of two even ones", {Eq(x * y, 7), Eq(x, 2)}, true, Satisfiable::kNo, {}},
    {"one product is one number", {Eq(x * y, 7), Eq(x* y, 8)}, false, Satisfiable::kNo, {}},
    {"two products are two", {Eq(x * y, 7), Eq(x* z, 8)}, false, Satisfiable::kYes, {}},
    {"exact", {Eq(x * y, 6), Eq(x, 2)}, true, Satisfiable::kYes, {{1, 2}, {2, 3}}},
    {"three factors",
     {Eq(x * y * z, 30), Eq(x, 2), Eq(y, 3)},
     true,
     Satisfiable::kYes,
     {{1, 2}, {2, 3}, {3, 5}}},
    {"a square", {Eq(x * x, 9), Lt(x, 0)}, true, Satisfiable::kYes, {{1, -3}}},
};

TEST(Solver, Answers) {
  const auto solver = prover::MakeSolver(2'000'000);
  for (const Row& row : kRows) {  // one solver: nothing of a question is left for the next
    Model model;
    EXPECT_EQ(solver->Check(row.all, row.exact, &model), row.answer) << row.what;
    EXPECT_EQ(solver->Check(row.all, row.exact, nullptr), row.answer) << row.what;
    for (const auto& [atom, value] : row.model) {
      ASSERT_TRUE(model.contains(atom)) << row.what;
      EXPECT_EQ(model.at(atom), value) << row.what;
    }
    if (!row.model.empty()) EXPECT_EQ(model.size(), row.model.size()) << row.what;
    if (row.answer != Satisfiable::kYes) EXPECT_TRUE(model.empty()) << row.what;
  }
}

TEST(Solver, GivesUpAfterItsSteps) {
  // No cubes of whole numbers add up so (Fermat); a solver that may take long would look for them.
  const std::vector<F> hard = {Eq(x * x * x + y * y * y, z * z * z), Lt(1, x), Lt(1, y), Lt(1, z),
                               Lt(x, y)};
  EXPECT_EQ(prover::MakeSolver(20'000)->Check(hard, true, nullptr), Satisfiable::kUnknown);
}

}  // namespace
}  // namespace akgen::craft::prove
