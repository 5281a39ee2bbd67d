// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "task/compare.h"
#include "task/element.h"
#include "task/evaluate/elements.h"
#include "task/evaluate/tables.h"
#include "task/evaluate/terms.h"
#include "task/generate.h"
#include "task/hidden.h"
#include "task/nudge.h"
#include "task/reference_client.h"
#include "task/special_values.h"
#include "task/strict.h"
#include "task/task.h"
#include "task/wrong_elements.h"

namespace akgen::task {
namespace {
TEST(TaskDefaults, Compare) {
  EXPECT_EQ(double(Rule().ulps), 0);
  EXPECT_FALSE(Rule().exact);
  EXPECT_FALSE(Comparison().pass);
  EXPECT_EQ(double(Comparison().elements), 0);
  EXPECT_EQ(double(Comparison().mismatches), 0);
  EXPECT_EQ(double(Comparison().non_finite), 0);
  EXPECT_EQ(double(Comparison().max_abs), 0);
  EXPECT_EQ(double(Comparison().max_rel), 0);
}
TEST(TaskDefaults, Element) { EXPECT_EQ(double(Element().bits), 0); }
TEST(TaskDefaults, EvaluateElements) { EXPECT_FALSE(evaluate::Operand().is_number); }
TEST(TaskDefaults, EvaluateTables) {
  EXPECT_EQ(double(evaluate::Cut().outer), 1);
  EXPECT_EQ(double(evaluate::Cut().n), 1);
  EXPECT_EQ(double(evaluate::Cut().inner), 1);
}
TEST(TaskDefaults, EvaluateTerms) {
  EXPECT_EQ(double(evaluate::Terms().sum), 0);
  EXPECT_EQ(double(evaluate::Terms().above), 0);
  EXPECT_EQ(double(evaluate::Terms().below), 0);
}
TEST(TaskDefaults, Generate) {
  EXPECT_EQ(double(Dist().a), 0);
  EXPECT_EQ(double(Dist().b), 1);
  EXPECT_EQ(Dist().count, -1);
  EXPECT_EQ(double(Dist().length), 1);
  EXPECT_EQ(double(Dist().inner), 1);
  EXPECT_FALSE(Dist().abs);
  EXPECT_EQ(double(Dist().stride), 1);
  EXPECT_EQ(double(Dist().first), 0);
  EXPECT_EQ(double(Dist().special_fraction), 0);
}
TEST(TaskDefaults, Hidden) {
  EXPECT_EQ(double(Relation().of), 0);
  EXPECT_EQ(double(Relation().count), 0);
}
TEST(TaskDefaults, Nudge) {
  EXPECT_EQ(double(Nudge().by), 0);
  EXPECT_EQ(double(Nudge().pattern), 0);
  EXPECT_EQ(double(Nudge().input), 0);
}
TEST(TaskDefaults, ReferenceClient) {
  EXPECT_TRUE(ReferenceClient::Options().cache);
  EXPECT_TRUE(ReferenceClient::Options().evaluate);
  EXPECT_EQ(double(ReferenceClient::Options().timeout_ms), 300000);
  EXPECT_EQ(ReferenceClient::Options().cache_limit, 4ull << 30);
  EXPECT_EQ(ReferenceClient::Options().cache_file_limit, 256u << 20);
}
TEST(TaskDefaults, SpecialValues) {
  EXPECT_EQ(double(SpecialValue().input), 0);
  EXPECT_FALSE(SpecialValue().nan);
}
TEST(TaskDefaults, Strict) {
  EXPECT_EQ(double(StrictLimits().mere), 0);
  EXPECT_EQ(double(StrictLimits().small), 0);
  EXPECT_EQ(double(StrictLimits().small_abs), 0);
  EXPECT_EQ(double(StrictLimits().cancel), 0);
}
TEST(TaskDefaults, Task) {
  EXPECT_EQ(double(Declared().dtype), 0);
  EXPECT_TRUE(Domain().nan);
  EXPECT_FALSE(ParamSpec().optional);
  EXPECT_FALSE(ParamSpec().zeroed);
  EXPECT_TRUE(ParamSpec().in_signature);
  EXPECT_FALSE(CaseRow().range);
  EXPECT_EQ(double(TaskSpec().level), 0);
  EXPECT_EQ(double(IndexDesc().of), 0);
  EXPECT_EQ(IndexDesc().axis, -1);
  EXPECT_EQ(double(IndexDesc().first), 0);
  EXPECT_EQ(double(IndexDesc().stride), 1);
  EXPECT_FALSE(ParamDesc().is_shape);
  EXPECT_FALSE(ParamDesc().zeroed);
  EXPECT_EQ(ParamDesc().inplace_of, -1);
  EXPECT_TRUE(ParamDesc().in_signature);
  EXPECT_FALSE(CaseDesc().range);
  EXPECT_EQ(double(CaseDesc().memory_estimate), 0);
  EXPECT_EQ(double(TaskInfo().level), 0);
  EXPECT_EQ(double(Layout().bytes), 0);
}
TEST(TaskDefaults, WrongElements) {
  EXPECT_EQ(double(Mismatch().index), 0);
  EXPECT_EQ(double(Mismatch().out), 0);
  EXPECT_EQ(double(Mismatch().ref), 0);
}
}  // namespace
}  // namespace akgen::task
