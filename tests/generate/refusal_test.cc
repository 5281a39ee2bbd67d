// What the planner says of a graph, in words about the user's function.
#include <gtest/gtest.h>

#include <fstream>

#include "base/files.h"
#include "generate/kernel.h"

namespace akgen::generate {
namespace {
using craft::Obstacle;

TEST(Refusal, IsAboutTheFunction) {
  auto dir = base::TempDir::Create();
  const std::string file = (dir->path() / "f.py").string();
  std::ofstream(file) << "def f(x):\n    y = x + 1\n    return torch.mode(y, 1)[0]\n";
  record::Capture capture;
  capture.line = 1;
  capture.operations = {{"add", 2}, {"mode", 3}, {"index_select", 2}};
  auto refusal = [&](const craft::Unplanned& why) {
    return RefusalOf({craft::ToError(why), why}, capture, file);
  };
  const record::Refusal mode = refusal(craft::WithoutRule("mode"));
  EXPECT_EQ(mode.code, "AK1540");
  EXPECT_EQ(mode.reason, "torch.mode is no operator that akgen writes here yet");
  EXPECT_EQ(mode.line, 3);
  EXPECT_EQ(mode.text, "return torch.mode(y, 1)[0]");
  const record::Refusal places = refusal({"any words", Obstacle::kComputedPlaces});
  EXPECT_EQ(places.reason, "not planned yet: rows are chosen by a tensor of indices");
  EXPECT_EQ(places.line, 2);
  // Words name no operator, nor do errors of others.
  EXPECT_EQ(refusal({"this operation on complex numbers", Obstacle::kOperands}).reason,
            "not planned yet: this operation on complex numbers");
  EXPECT_EQ(
      RefusalOf({{"AK0115", "a tensor that no operation made", "", ""}, {}}, capture, file).reason,
      "not planned yet: a tensor that no operation made");
}
}  // namespace
}  // namespace akgen::generate
