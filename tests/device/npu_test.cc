// A device that does not answer at all: its process is ended, and the device reset. With the
// toolkit that stands in.
#include "device/npu.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "chip/chip.h"
#include "device/toolkit.h"
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
    for (const files::path& folder : {home / "bin", home / "lib64", kernel})
      files::create_directories(folder);
    files::create_symlink(files::path(__FILE__).parent_path() / "toolkit/bisheng",
                          home / "bin/bisheng");
    files::create_symlink(files::path(__FILE__).parent_path() / "toolkit/msopprof",
                          home / "bin/msopprof");
    files::create_symlink(DEVICE_TEST_RUNTIME, home / "lib64/libascendcl.so");
    ASSERT_TRUE(base::WriteFileAtomic(
                    kernel / "add.cpp",
                    "extern \"C\" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, "
                    "GM_ADDR workspace, GM_ADDR tiling) {}\n")
                    .ok());
    ::setenv("ASCEND_HOME_PATH", home.c_str(), 1);
    files::create_directories(dir_->path() / "logs");
    ::setenv("ASCEND_PROCESS_LOG_PATH", (dir_->path() / "logs").c_str(), 1);
    ::setenv("AKGEN_TEST_LOG", (dir_->path() / "logs/log").c_str(), 1);
    ::setenv("ASCEND_RT_VISIBLE_DEVICES", Device(0).c_str(), 1);
    Clear();
  }
  void TearDown() override {
    Clear();
    for (int k : {0, 1}) files::remove(LockOf(k));
  }
  void Clear() {
    for (const char* who : {"AKGEN_TEST_DEVICE", "AKGEN_TEST_COMPILER", "AKGEN_TEST_PROFILER"})
      ::unsetenv(who);
  }

  // Devices that no other test has.
  static std::string Device(int k) { return std::to_string(::getpid() * 10 + k); }
  static files::path LockOf(int k) { return "/tmp/akgen-npu-" + Device(k) + ".lock"; }

  toolchain::BuildReply Build(Npu& npu, int wall_ms = 60000) {
    const auto project = toolchain::LoadProject(dir_->path() / "add", false);
    auto request = toolchain::KernelRequest(*project, {2201}, record::Backend::kNpu);
    request.wall_ms = wall_ms;
    return npu.Build(request);
  }

  // One launch of z = x + y over 32 halves on a device that misbehaves like this.
  sim::RunReply RunOn(const char* how, bool measure = false) {
    auto npu =
        Npu::Open({.profile = measure, .start_ms = 3000, .timing_ms = 1000, .profile_ms = 1000});
    EXPECT_TRUE(npu.ok()) << npu.error().ToString();
    const auto built = Build(*npu);
    EXPECT_TRUE(built.ok) << built.FirstError();
    auto inputs = base::SharedMemory::Create("inputs", 256),
         outputs = base::SharedMemory::Create("outputs", 128);
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
    sim::RunReply reply = npu->Run({built.so, run, inputs->fd(), outputs->fd(), 500, measure});
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
TEST_F(Silent, AProfilerThatDoesNotEndCostsItsTime) {
  ::setenv("AKGEN_TEST_PROFILER", "hang", 1);
  const sim::RunReply reply = RunOn(nullptr, true);
  EXPECT_EQ(reply.status, "ok") << reply.detail;
  ASSERT_TRUE(reply.measured);
  EXPECT_EQ(reply.measured->rule.source, record::TimeSource::kEvents);
  EXPECT_NE(
      reply.measured->note.find("the profiler did not end in time; the time is that of events"),
      std::string::npos);
}

TEST_F(Silent, AllLaunchesInTimeNeedNoNote) {
  files::remove(dir_->path() / "cann/bin/msopprof");
  const sim::RunReply reply = RunOn(nullptr, true);
  EXPECT_EQ(reply.status, "ok") << reply.detail;
  ASSERT_TRUE(reply.measured);
  EXPECT_EQ(reply.measured->launches, reply.measured->rule.repeats);
  EXPECT_EQ(reply.measured->note, "");
}

// What was found of a toolkit and what to do about the rest.
TEST_F(Silent, PartsOfTheToolkit) {
  const auto said = [] {
    Toolkit t;
    std::string out;
    for (const ToolkitPart& p : LookForToolkit(&t))
      out += p.what +
             (p.good     ? " good"
              : p.needed ? " needed"
                         : " missing") +
             (p.good ? "" : ": " + p.fix) + "\n";
    return out;
  };
  const std::string with = said();
  EXPECT_NE(with.find("profiler msopprof good\n"), std::string::npos) << with;
  EXPECT_NE(with.find("CANN toolkit good\n"), std::string::npos) << with;
  EXPECT_NE(with.find("compiler bisheng good\n"), std::string::npos) << with;
  EXPECT_NE(with.find("runtime libascendcl.so good\n"), std::string::npos) << with;
  files::remove(dir_->path() / "cann/bin/msopprof");
  EXPECT_NE(
      said().find(
          "profiler msopprof missing: times come from events then, and the device's frequency"),
      std::string::npos)
      << said();
  files::remove(dir_->path() / "cann/lib64/libascendcl.so");
  EXPECT_NE(said().find("runtime libascendcl.so needed"), std::string::npos) << said();
  EXPECT_EQ(FindToolkit().error().code, "AK0620");
}

// Of one that ends in time, however long all launches that are to be timed would take.
TEST_F(Silent, ASlowKernelIsTimedLessOften) {
  const sim::RunReply reply = RunOn("slow", true);
  EXPECT_EQ(reply.status, "ok") << reply.detail;
  ASSERT_TRUE(reply.measured);
  EXPECT_GT(reply.measured->launches, 0);
  EXPECT_LT(reply.measured->launches, 60);
  EXPECT_NE(reply.measured->note.find("of 100 launches in 1000 ms"), std::string::npos)
      << reply.measured->note;
}

// The candidate's, or the machine's: the twin without the candidate's kernel tells.
TEST_F(Silent, ACompilerThatDoesNotEndIsEnded) {
  auto npu = Npu::Open({.start_ms = 3000});
  ASSERT_TRUE(npu.ok()) << npu.error().ToString();
  for (const auto& [how, failure] :
       {std::pair("hang_on_kernel", "timeout"), std::pair("hang", "infra")}) {
    ::setenv("AKGEN_TEST_COMPILER", how, 1);
    const auto reply = Build(*npu, 2000);
    EXPECT_FALSE(reply.ok);
    EXPECT_EQ(reply.failure, failure) << how;
    EXPECT_NE(reply.FirstError().find("did not end in time"), std::string::npos)
        << reply.FirstError();
  }
}

TEST_F(Silent, ADeviceInUseIsSaidToBe) {
  const auto npu = Npu::Open({.start_ms = 3000});
  ASSERT_TRUE(npu.ok());
  const base::Fd held(::open(LockOf(1).c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::flock(held.get(), LOCK_EX | LOCK_NB), 0);
  ::setenv("ASCEND_RT_VISIBLE_DEVICES", Device(1).c_str(), 1);  // which this process calls 0
  const auto other = Npu::Open({.start_ms = 3000, .busy_ms = 200});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, "AK0621");
  EXPECT_NE(other.error().message.find("stays in use"), std::string::npos);
}
}  // namespace
}  // namespace akgen::device
