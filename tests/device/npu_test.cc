// A device that does not answer at all: its process is ended, and the device reset. With the toolkit that stands in.
#include "device/npu.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "chip/chip.h"
#include "toolchain/project.h"

namespace akgen::device {
namespace {
namespace files = std::filesystem;

class Silent : public ::testing::Test {
 protected:
  void SetUp() override {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_.emplace(std::move(*dir));
    const files::path home = dir_->path() / "cann", kernel = dir_->path() / "add/op_kernel";
    for (const files::path& folder : {home / "bin", home / "lib64", kernel}) files::create_directories(folder);
    files::create_symlink(files::path(__FILE__).parent_path() / "toolkit/bisheng", home / "bin/bisheng");
    files::create_symlink(DEVICE_TEST_RUNTIME, home / "lib64/libascendcl.so");
    ASSERT_TRUE(base::WriteFileAtomic(kernel / "add.cpp",
                                      "extern \"C\" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, "
                                      "GM_ADDR workspace, GM_ADDR tiling) {}\n")
                    .ok());
    ::setenv("ASCEND_HOME_PATH", home.c_str(), 1);
    ::setenv("AKGEN_TEST_LOG", (dir_->path() / "log").c_str(), 1);
    ::unsetenv("AKGEN_TEST_DEVICE");
  }
  void TearDown() override { ::unsetenv("AKGEN_TEST_DEVICE"); }

  // One launch of z = x + y over 32 halves on a device that misbehaves like this.
  sim::RunReply RunOn(const char* how) {
    auto npu = Npu::Open({0, false, 3000, 3000});
    EXPECT_TRUE(npu.ok()) << npu.error().ToString();
    const auto project = toolchain::LoadProject(dir_->path() / "add", false);
    const auto built = npu->Build(toolchain::KernelRequest(*project, {2201}, record::Backend::kNpu));
    EXPECT_TRUE(built.ok) << built.FirstError();
    auto inputs = base::SharedMemory::Create("inputs", 256), outputs = base::SharedMemory::Create("outputs", 128);
    sim::RunRequest run;
    run.chip = chip::LoadChip("910B2").value();
    run.regions = {{"x", sim::Role::kInput, 0, 64, 128},
                   {"y", sim::Role::kInput, 128, 64, 128},
                   {"z", sim::Role::kOutput, 0, 64, 128}};
    using Argument = sim::RunArgument;
    for (size_t i = 0; i < 3; ++i) run.args.push_back({Argument::kRegion, {i}, {}});
    run.args.push_back({Argument::kWorkspace, {}, {}});
    run.args.push_back({Argument::kTiling, {}, {}});
    if (how) ::setenv("AKGEN_TEST_DEVICE", how, 1);
    sim::RunReply reply = npu->Run({built.so, run, inputs->fd(), outputs->fd(), 500, false});
    first_ = outputs->data()[0];
    return reply;
  }

  std::optional<base::TempDir> dir_;
  int first_ = -1;  // byte of the output
};

TEST_F(Silent, OneThatAnswersIsDone) {
  const sim::RunReply reply = RunOn(nullptr);
  EXPECT_EQ(reply.status, "ok") << reply.detail;
  EXPECT_EQ(first_, 0);
}

TEST_F(Silent, TheKernelTimesOutWhereAResetHelps) {
  const sim::RunReply reply = RunOn("stuck");
  EXPECT_EQ(reply.status, "timeout") << reply.detail;
  EXPECT_NE(reply.detail.find("reset"), std::string::npos);
}

TEST_F(Silent, ADeviceThatIsLostForGoodIsAnError) {
  const sim::RunReply reply = RunOn("lost_for_good");
  EXPECT_EQ(reply.status, "error") << reply.detail;
  EXPECT_EQ(reply.vendor_code, 507010);
  EXPECT_EQ(first_, 0xff) << "outputs are poisoned before a launch";
}
}  // namespace
}  // namespace akgen::device
