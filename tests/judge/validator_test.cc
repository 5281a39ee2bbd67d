// A program of the kernel language on the simulated chip beside its interpreter: what is added up.
#include "judge/validate/validate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "craft/interpret/arguments.h"

namespace akgen::judge {
namespace {
TEST(Validator, OutputsAreAddedUp) {
  auto validator = Validator::Start(std::string(chip::kDefaultChip));
  ASSERT_TRUE(validator.ok()) << validator.error().ToString();
  const auto one = [&](const char* example, const char* inputs) {
    const auto source = base::ReadFile(base::HomeDir() / "examples/craft" / example);
    craft::Compiled c = craft::Compile(*source, validator->target());
    auto parsed = craft::ParseCase(c.programs, inputs, 1);
    EXPECT_TRUE(parsed.ok()) << parsed.error().ToString();
    return Validation{.program = c.lowered.at(parsed->column),
                      .args = std::move(parsed->args),
                      .label = example,
                      .keep = true};
  };
  const auto all =
      validator->Run({one("fast_gelu.py", "x=f32[100]"), one("softmax.py", "x=f32[4, 64]"),
                      one("sum_rows.py", "x=f32[5, 1000]")});
  ASSERT_EQ(all.size(), 3u);
  double worst = 0;
  for (const Validated& v : all) {
    EXPECT_EQ(v.outcome, Validated::kAgree) << v.label << v.reason;
    EXPECT_LE(v.worst, 1) << v.label;
    worst = std::max(worst, v.worst);
  }
  EXPECT_GT(worst, 0) << "the two sides do not add in the same order";
  const Validated& v = all[0];
  EXPECT_EQ(v.label, "fast_gelu.py");
  EXPECT_EQ(v.elements, 100);
  EXPECT_EQ(v.exact + v.undecided, 0);
  ASSERT_EQ(v.outputs.size(), 1u);
  EXPECT_EQ(v.outputs[0].first, "y");
  EXPECT_EQ(v.outputs[0].second.bytes.size(), 400u);
  EXPECT_EQ(NameOf(v.outcome), "agree");
}
}  // namespace
}  // namespace akgen::judge
