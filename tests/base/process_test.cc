#include "base/process.h"

#include <gtest/gtest.h>

namespace akgen::base {
namespace {

TEST(Process, AProgramThatIsSpokenToInLines) {
  auto p = LineProcess::Start(
      {"sh", "-c", "echo ready; while read x; do printf 'got %s\\n\\nmore' \"$x\"; echo; done; exit 7"});
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
}  // namespace
}  // namespace akgen::base
