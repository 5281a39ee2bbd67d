// What a search minimises, on our own example kernels.
#include "judge/objective.h"
#include "judge/run/simulated_chip.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "base/files.h"

namespace akgen::judge {
namespace {

const std::string kKernels = AKGEN_KERNELS;

bool HaveReference() {
  return std::filesystem::exists(std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                                 "akgen-reference");
}

class ObjectiveTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HaveReference()) GTEST_SKIP() << "needs libtorch";
    auto task = task::LoadTask("UnalignAdd");
    auto judge = Judge::Start();
    ASSERT_TRUE(task.ok() && judge.ok());
    task_.emplace(std::move(*task)), judge_.emplace(std::move(*judge));
    options_.cases = {"0", "1"};
    options_.seed = 1;
  }
  std::optional<task::TaskSpec> task_;
  std::optional<Judge> judge_;
  Options options_;
};

TEST_F(ObjectiveTest, TheSumOverTheCasesOfAKernelThatPasses) {
  Objective objective = ModelledObjective(*judge_, *task_, options_);
  auto us = objective(kKernels + "/add_double_buffer");
  ASSERT_TRUE(us);
  Options timed = options_;
  timed.time.on = true;
  Judgement j = judge_->Run(kKernels + "/add_double_buffer", *task_, timed);
  ASSERT_EQ(j.cases.size(), 2u);
  EXPECT_DOUBLE_EQ(
      *us, j.cases[0].modelled["us"].get<double>() + j.cases[1].modelled["us"].get<double>());
  EXPECT_EQ(objective(kKernels + "/add_double_buffer"), us);
  options_.cases = {"0"};
  auto less = ModelledObjective(*judge_, *task_, options_)(kKernels + "/add_double_buffer");
  ASSERT_TRUE(less);
  EXPECT_LT(*less, *us);
}

TEST_F(ObjectiveTest, NothingForOneThatDoesNot) {
  Objective objective = ModelledObjective(*judge_, *task_, options_);
  EXPECT_FALSE(objective(kKernels + "/wrong_missing_tail"));
  EXPECT_FALSE(objective(kKernels + "/wrong_missing_handoff"));
  EXPECT_FALSE(objective(kKernels + "/no_such_kernel"));
}

TEST(LoneObjectiveTest, OtherBytesAreNoCandidate) {
  auto dir = base::TempDir::Create();
  auto chip = SimulatedChip::Start();
  ASSERT_TRUE(dir.ok() && chip.ok());
  auto kernel = [&](const std::string& name, const std::string& factor) {
    std::string file = dir->path() / name;
    EXPECT_TRUE(base::WriteFileAtomic(file, R"(// launch: blocks=1 args=in:f32[64],out:f32[64]
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void kernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> in, out;
  in.SetGlobalBuffer((__gm__ float*)x);
  out.SetGlobalBuffer((__gm__ float*)y);
  for (int i = 0; i < 64; ++i) out.SetValue(i, in.GetValue(i) * )" +
                                                factor + R"();
}
)")
                    .ok());
    return file;
  };
  Objective objective = LoneObjective(**chip, "", {});
  auto first = objective(kernel("a.cpp", "2.0f"));
  ASSERT_TRUE(first);
  EXPECT_GT(*first, 0);
  EXPECT_EQ(objective(kernel("b.cpp", "(1.0f + 1.0f)")), first);
  EXPECT_FALSE(objective(kernel("c.cpp", "3.0f")));
  EXPECT_FALSE(objective(kernel("d.cpp", "nonsense")));
}

}  // namespace
}  // namespace akgen::judge
