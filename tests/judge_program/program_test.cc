// Direct-launch programs, built and run end to end: the example as it is, and spoilt in one way
// each.
#include "judge/run/program.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "judge/run/simulated_chip.h"

namespace akgen::judge {
namespace {
using record::Verdict;

class Program : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto chip = SimulatedChip::Start();
    ASSERT_TRUE(chip.ok());
    chip_ = std::move(*chip);
  }
  static void TearDownTestSuite() { chip_.reset(); }
  void SetUp() override {
    auto text = base::ReadFile(std::string(AKGEN_EXAMPLES) + "/scale.asc");
    ASSERT_TRUE(text.ok());
    source_ = *text;
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    dir_ = std::make_unique<base::TempDir>(std::move(*dir));
  }
  // Replaces `from`, which must be there, and remembers its line.
  void Change(const std::string& from, const std::string& to) {
    size_t at = source_.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    line_ = 1 + int(std::count(source_.begin(), source_.begin() + long(at), '\n'));
    source_.replace(at, from.size(), to);
  }
  ProgramResult Run() {
    std::string file = dir_->path() / "scale.asc";
    EXPECT_TRUE(base::WriteFileAtomic(file, source_).ok());
    ProgramRequest request;
    request.sources = {file};
    request.cwd = dir_->path();
    request.timeout_ms = 20000;
    return RunProgram(*chip_, request);
  }
  static inline std::unique_ptr<Executor> chip_;
  std::unique_ptr<base::TempDir> dir_;
  std::string source_;
  int line_ = 0;
};

TEST_F(Program, Passes) {
  ProgramResult r = Run();
  EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
  EXPECT_EQ(r.console, "all 2048 values are right\n");
  EXPECT_TRUE(r.findings.empty());
  EXPECT_EQ(r.counts.value("launches", 0), 1);
}

TEST_F(Program, ExitCodeIsAWrongAnswer) {
  Change("3.0f);\n  aclrtSync", "2.0f);\n  aclrtSync");
  ProgramResult r = Run();
  EXPECT_EQ(r.verdict, Verdict::kWrongAnswer);
  EXPECT_EQ(r.exit_code, 1);
}

TEST_F(Program, FindingNamesTheKernelsLine) {
  Change("  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);\n", "\n");
  ProgramResult r = Run();
  EXPECT_EQ(r.verdict, Verdict::kFinding) << r.reason;
  auto race = std::find_if(r.findings.begin(), r.findings.end(),
                           [](const auto& f) { return f.code == "AK1201"; });
  ASSERT_NE(race, r.findings.end());
  EXPECT_EQ(race->place.line, line_ + 1);
  EXPECT_NE(race->place.file.find("scale.asc"), std::string::npos);
}

TEST_F(Program, HostFindingNamesTheCall) {
  Change("  aclrtFree(y_device);", "  aclrtFree(x_device);");
  ProgramResult r = Run();
  EXPECT_EQ(r.verdict, Verdict::kFinding);
  auto free = std::find_if(r.findings.begin(), r.findings.end(),
                           [](const auto& f) { return f.code == "AK1801"; });
  ASSERT_NE(free, r.findings.end());
  EXPECT_EQ(free->place.line, line_);
}

TEST_F(Program, BuildErrorsKeepTheirLine) {
  Change("  auto tile = ub.Alloc<float, count>();", "  auto tile = ub.Alloc<float, counts>();");
  ProgramResult r = Run();
  EXPECT_EQ(r.verdict, Verdict::kBuildError);
  EXPECT_NE(r.reason.find("scale.asc:" + std::to_string(line_)), std::string::npos) << r.reason;
}

TEST_F(Program, WhatIsMissingIsUnsupportedByName) {
  Change("  AscendC::InitSocState();", "  AscendC::InitSocState(); AscendC::LoadImageToLocal(1);");
  ProgramResult r = Run();
  EXPECT_EQ(r.verdict, Verdict::kUnsupported);
  EXPECT_NE(r.reason.find("LoadImageToLocal"), std::string::npos) << r.reason;
}

TEST_F(Program, KernelsOfAnotherSourceAreLaunched) {
  const std::string folder = std::string(AKGEN_EXAMPLES) + "/two_sources/";
  ProgramRequest request;
  request.sources = {folder + "main.cpp", folder + "kernels.cpp"};
  request.cwd = dir_->path();
  request.timeout_ms = 20000;
  ProgramResult r = RunProgram(*chip_, request);
  EXPECT_EQ(r.verdict, Verdict::kPass) << r.reason;
  EXPECT_EQ(r.console, "0 values are wrong\n");
  EXPECT_TRUE(r.findings.empty());
  EXPECT_EQ(r.counts.value("launches", 0), 2);

  request.sources.pop_back();  // without the kernels there is no such header
  r = RunProgram(*chip_, request);
  EXPECT_EQ(r.verdict, Verdict::kBuildError);
  EXPECT_NE(r.reason.find("aclrtlaunch_scale.h"), std::string::npos) << r.reason;
  EXPECT_NE(r.reason.find("name that too"), std::string::npos) << r.reason;
}

TEST_F(Program, EndlessProgramsTimeOut) {
  Change("int main() {", "int main() {\n  for (volatile int spin = 0;; spin = spin + 1) {\n  }");
  std::string file = dir_->path() / "scale.asc";
  ASSERT_TRUE(base::WriteFileAtomic(file, source_).ok());
  ProgramRequest request;
  request.sources = {file};
  request.cwd = dir_->path();
  request.timeout_ms = 500;
  EXPECT_EQ(RunProgram(*chip_, request).verdict, Verdict::kTimeout);
}

}  // namespace
}  // namespace akgen::judge
