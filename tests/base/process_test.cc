#include "base/process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace akgen::base {
namespace {

TEST(Process, AProgramThatIsSpokenToInLines) {
  auto p = LineProcess::Start(
      {"sh", "-c",
       "echo ready; while read x; do printf 'got %s\\n\\nmore' \"$x\"; echo; done; exit 7"});
  ASSERT_TRUE(p.ok());
  std::string line;
  ASSERT_TRUE(p->Read(line));
  EXPECT_EQ(line, "ready");
  const std::string most(200000, 'x');  // more than a socket takes at once
  for (const std::string& said : {std::string("one"), most}) {
    ASSERT_TRUE(p->Write(said));
    ASSERT_TRUE(p->Read(line));
    EXPECT_EQ(line, "got " + said);
    ASSERT_TRUE(p->Read(line));
    EXPECT_EQ(line, "");
    ASSERT_TRUE(p->Read(line));
    EXPECT_EQ(line, "more");
  }
  EXPECT_EQ(p->Wait(), 7);
  EXPECT_FALSE(p->Read(line));
  EXPECT_FALSE(p->Write("late"));
}

TEST(Process, WhatDoesNotEndIsEnded) {
  auto p = LineProcess::Start({"sleep", "1000"});
  ASSERT_TRUE(p.ok());
}

TEST(Process, WhatIsNotThereIsSaid) {
  auto p = LineProcess::Start({"/nowhere/program"});
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.error().code, "AK0015");
}

// What a shell does, and how long it may take; then what is told of it.
struct RunRow {
  const char* script;
  int wall_ms, exit_code;
  const char* output;
  bool timed_out;
};
const RunRow kRuns[] = {
    {"printf out; printf err >&2; exit 3", 5000, 3, "outerr", false},
    {"true", 5000, 0, "", false},
    {"kill -15 $$", 5000, 128 + 15, "", false},
    {"printf here; sleep 1000", 60, 128 + 9, "here", true},
    {"sleep 1000 & printf $AKGEN_SAID", 5000, 0, "word",
     false},  // it leaves one behind that holds the pipe
};

TEST(Process, ProgramsAreRunToTheirEndOrTheirLimit) {
  for (const RunRow& row : kRuns) {
    auto ran = RunProgram({{"sh", "-c", row.script}, {}, {"AKGEN_SAID=word"}}, row.wall_ms);
    ASSERT_TRUE(ran.ok()) << row.script;
    EXPECT_EQ(ran->exit_code, row.exit_code) << row.script;
    EXPECT_EQ(ran->output, row.output);
    EXPECT_EQ(ran->timed_out, row.timed_out) << row.script;
  }
  auto whole = RunProgram({"sh", "-c", "printf out; printf err >&2; exit 3"});
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->output + std::to_string(whole->exit_code), "outerr3");
  EXPECT_EQ(RunProgram({{"/nowhere/program"}, {}, {}, "AK0099", "do"}, 50).error().code, "AK0099");
}

TEST(Process, SixteenMebibytesAreKept) {
  auto ran = RunProgram({{"sh", "-c", "head -c 17000000 /dev/zero; printf end"}}, 60000);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->output.size(), size_t{16} << 20);
  EXPECT_EQ(ran->output.find('e'), std::string::npos);
}

TEST(Process, ItEndsWithWhoStartedIt) {
  auto end = [](const char* parent) {
    const int pid = ::fork();
    if (pid == 0) {
      ::setenv("AKGEN_PARENT", parent, 1);
      EndWithAkgen();
      ::usleep(300000);
      ::_exit(7);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  };
  const int gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  EXPECT_EQ(end(std::to_string(gone).c_str()), -9);
  EXPECT_EQ(end(std::to_string(::getpid()).c_str()), 7);
  EXPECT_EQ(end("0"), 7);
  EXPECT_EQ(end("word"), 7);
}
}  // namespace
}  // namespace akgen::base
