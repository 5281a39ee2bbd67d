// Refusals of the planner as values: what they say, what they are about, where the planner got
// stuck.
#include "craft/plan/unplanned.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace akgen::craft {
namespace {
Unplanned Attempt(Way way, Unplanned why) {
  why.way = way;
  return why;
}
Unplanned OneKernel(Unplanned rows, Unplanned loops) {
  Unplanned out;
  out.attempts = {Attempt(Way::kRows, std::move(rows)), Attempt(Way::kLoops, std::move(loops)),
                  Attempt(Way::kPlaces, {"no tensors"}), Attempt(Way::kParts, {"no parts"})};
  return out;
}
Unplanned Alone(const std::string& op) {
  Unplanned out = OneKernel({"no rows"}, WithoutRule(op));
  out.obstacle = Obstacle::kOperation, out.op = op;
  return out;
}

TEST(Unplanned, AMessageHasAllAttempts) {
  EXPECT_EQ(ToError({"no cases"}).message, "no rule: no cases");
  EXPECT_EQ(ToError({"no cases"}).code, "AK1540");
  EXPECT_EQ(OneKernel({"no rows"}, WithoutRule("mode")).Text(),
            "no rows; as loops: the operation mode; by places: no tensors; by parts: no parts");
  Unplanned launches = OneKernel({"no rows"}, {"a diagonal"});
  launches.attempts.push_back(Attempt(Way::kLaunches, Alone("mode")));
  EXPECT_EQ(launches.Text(),
            "no rows; as loops: a diagonal; by places: no tensors; by parts: no parts; as "
            "launches: alone, the operation mode: no rows; as loops: the operation mode; by "
            "places: no tensors; by parts: no parts");
}

TEST(Unplanned, TheMainReasonIsWhereThePlannerGotStuck) {
  EXPECT_EQ(Unplanned{"no cases"}.Main().why, "no cases");
  Unplanned graph = OneKernel({"no rows"}, WithoutRule("mode"));
  EXPECT_EQ(graph.Main().op, "mode");
  // Of a part that names an operation, that one; of another one why it is no nest of loops.
  graph.attempts.push_back(Attempt(Way::kProducts, WithSeveralResults("topk")));
  EXPECT_EQ(graph.Main().op, "topk");
  graph.attempts.back() =
      Attempt(Way::kLaunches, OneKernel({"no rows"}, {"places", Obstacle::kComputedPlaces}));
  EXPECT_EQ(graph.Main().obstacle, Obstacle::kComputedPlaces);
  graph.attempts.back() =
      Attempt(Way::kLaunches, OneKernel(WithSeveralResults("sort"), {"a diagonal"}));
  EXPECT_EQ(graph.Main().op, "sort");
  graph.attempts.back() = Attempt(Way::kLaunches, {"a value that is changed in place"});
  EXPECT_EQ(graph.Main().op, "mode");
}

TEST(Unplanned, AnOperationAloneIsFinalWhereverItStands) {
  EXPECT_FALSE(WithoutRule("mode").IsFinal());
  EXPECT_TRUE(Alone("mode").IsFinal());
  Unplanned graph = OneKernel({"no rows"}, WithoutRule("matmul"));
  EXPECT_FALSE(graph.IsFinal());
  EXPECT_TRUE(graph.IsAbout("matmul"));
  graph.attempts.push_back(Attempt(Way::kProducts, Alone("mode")));
  EXPECT_TRUE(graph.IsFinal());
  EXPECT_TRUE(graph.IsAbout("mode"));
  EXPECT_FALSE(graph.IsAbout("sort"));
  // The words decide nothing.
  EXPECT_FALSE(Unplanned{"alone, the operation mode"}.IsFinal());
  EXPECT_FALSE(Unplanned{"the operation mode"}.IsAbout("mode"));
}

TEST(Unplanned, WhatIsTriedGivesAValueOrSaysWhyNot) {
  EXPECT_EQ(*Tried([] { return 3; }), 3);
  const auto known = Tried([]() -> int { throw WithoutRule("mode"); });
  EXPECT_EQ(known.error().op, "mode");
  const auto odd = Tried([]() -> int { throw std::out_of_range("at"); });
  EXPECT_EQ(odd.error().Text(), "an operation with unusual operands: at");
  EXPECT_EQ(odd.error().obstacle, Obstacle::kOperands);
  const auto product = Tried([]() -> int { throw std::out_of_range("at"); }, "a product");
  EXPECT_EQ(product.error().Text(), "a product with unusual operands: at");
  EXPECT_EQ(product.error().obstacle, Obstacle::kOther);
}
}  // namespace
}  // namespace akgen::craft
