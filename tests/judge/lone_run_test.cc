// One launch of one kernel on a chip that is made up: what is asked of it, and what is said when
// that fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "judge/run/lone.h"
#include "made_up_chip.h"

namespace akgen::judge {
namespace {
namespace fs = std::filesystem;
using record::Verdict;

class LoneRun : public ::testing::Test {
 protected:
  LoneRun() : dir_(std::move(base::TempDir::Create().value())) {
    file_ = (dir_.path() / "neg.cpp").string();
    std::ofstream(file_) << "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ "
                            "void neg(GM_ADDR x, GM_ADDR y) {}\n";
  }
  std::string Run(const std::string& launch = "blocks=2 key=3 args=in:i32[4]=1;2;3;4,out:i32[4]") {
    auto line = ParseLaunch(launch, dir_.path().string());
    EXPECT_TRUE(line.ok()) << line.error().ToString();
    chip_.asked.clear();
    result_ = RunLone(chip_, file_, *line, o_);
    return std::string(record::NameOf(result_.verdict)) + ": " + result_.reason;
  }
  base::TempDir dir_;
  std::string file_;
  MadeUpChip chip_;
  LoneOptions o_;
  LoneResult result_;
};

TEST_F(LoneRun, WhatIsAskedAndWhatComesBack) {
  sim::RunReply& reply = chip_.answers[0].reply;
  reply.vector_ops = 1, reply.copies = 2, reply.bytes_in = 3, reply.bytes_out = 4, reply.run_us = 5,
  reply.instructions = 6, reply.hash = "h", reply.print = "said";
  o_.want_values = o_.want_lines = true, o_.schedule = 9, o_.timeout_ms = 1234;
  EXPECT_EQ(Run(), "pass: ");
  EXPECT_NE(chip_.asked.find("run kernel.so neg blocks 2 key 3 tiling 0 workspace 0 within 1234 "
                             "schedule 9 hash sites checks "),
            std::string::npos)
      << chip_.asked;
  EXPECT_EQ(result_.counts, base::Json::parse(R"({"vector_ops": 1, "copies": 2, "bytes_in": 3,
      "bytes_out": 4, "run_us": 5, "instructions": 6})"));
  EXPECT_EQ(result_.print, "said");
  EXPECT_EQ(result_.build_ms, 2);
  ASSERT_EQ(result_.outputs.size(), 1u);
  o_.want_values = o_.want_lines = false, o_.schedule = 0;
  EXPECT_EQ(Run(), "pass: ");
  EXPECT_TRUE(result_.outputs.empty());
  EXPECT_NE(chip_.asked.find(" schedule 0 hash checks "), std::string::npos) << chip_.asked;
}

TEST_F(LoneRun, ValuesAreHeldAgainstThoseOfTheLine) {
  EXPECT_EQ(Run("args=in:i32[3]=1;2;3,out:i32[3]=-1;-2;-3"), "pass: ");
  const std::string wrong = Run("args=in:i32[3]=1;2;3,out:i32[3]=-1;-2;-4");
  EXPECT_TRUE(wrong.starts_with("wrong_answer: ")) << wrong;
  chip_.answers[0].wrong = 1;
  EXPECT_TRUE(Run("args=in:i32[3]=1;2;3,out:i32[3]=-1;-2;-3").starts_with("wrong_answer: "));
  EXPECT_EQ(Run("args=in:i32[3]=1;2;3,out:i32[3]"), "pass: ") << "nothing to hold it against";
}

// Whatever is asked and fails ends the launch with what it says.
TEST_F(LoneRun, FailuresAreSaid) {
  o_.chip = "none";
  EXPECT_EQ(Run(), "infra_error: no chip is called `none`");
  o_ = {};
  chip_.broken = "the builder is gone";
  EXPECT_EQ(Run(), "infra_error: the builder is gone");
  chip_.broken = "";
  chip_.kernel_build.ok = false, chip_.kernel_build.failure = "diagnostics";
  chip_.kernel_build.diagnostics = {{"error", "neg.cpp", 1, 1, "no such name", {}}};
  EXPECT_TRUE(Run().starts_with("build_error: ")) << result_.reason;
  EXPECT_NE(result_.reason.find("no such name"), std::string::npos);
  EXPECT_EQ(result_.diagnostics.size(), 1u);
  chip_.kernel_build = {};
  chip_.kernel_build.ok = true;
  chip_.answers[0].reply.status = "timeout", chip_.answers[0].reply.detail = "too long";
  EXPECT_TRUE(Run().starts_with("timeout: ")) << result_.reason;
  file_ = (dir_.path() / "none.cpp").string();
  EXPECT_TRUE(Run().starts_with("build_error: AK0")) << result_.reason;
}

TEST_F(LoneRun, AChipWithoutATimingModelRunsAndTellsNoTime) {
  const fs::path home = dir_.path() / "home";
  fs::create_directories(home / "data/chips");
  auto text = base::ReadFile(base::HomeDir() / "data/chips/910B2.toml");
  ASSERT_TRUE(text.ok());
  const size_t at = text->find("\ntiming");
  ASSERT_NE(at, std::string::npos);
  text->replace(at, text->find('\n', at + 1) - at, "\ntiming = \"\"");
  std::ofstream(home / "data/chips/910B2.toml") << *text;
  const char* before = std::getenv("AKGEN_HOME");
  const std::string kept = before ? before : "";
  ::setenv("AKGEN_HOME", home.c_str(), 1);
  EXPECT_EQ(Run(), "pass: ");
  o_.time.on = true;
  const std::string timed = Run();
  before ? ::setenv("AKGEN_HOME", kept.c_str(), 1) : ::unsetenv("AKGEN_HOME");
  EXPECT_EQ(timed, "infra_error: no timing model stands for the chip 910B2");
  EXPECT_EQ(chip_.asked.find("run "), std::string::npos) << "it is not run for nothing";
}
}  // namespace
}  // namespace akgen::judge
