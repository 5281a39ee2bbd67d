// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "toolchain/build.h"
#include "toolchain/build_files.h"
#include "toolchain/build_options.h"
#include "toolchain/builder_messages.h"
#include "toolchain/changes.h"
#include "toolchain/launch_rewrite.h"
#include "toolchain/repository.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace {
TEST(ToolchainDefaults, Build) {
  EXPECT_EQ(double(Device().arch), 0);
  EXPECT_EQ(double(Entry().line), 0);
  EXPECT_FALSE(Entry().templated);
  EXPECT_EQ(double(BuildRequest().wall_ms), 60000);
  EXPECT_FALSE(BuildRequest().only_key);
  EXPECT_FALSE(BuildRequest().open_ended);
  EXPECT_EQ(double(Rewrite().line), 0);
  EXPECT_FALSE(BuildReply().ok);
  EXPECT_FALSE(BuildReply().cached);
  EXPECT_EQ(double(BuildReply().build_ms), 0);
  EXPECT_EQ(double(BuildReply().cpu_ms), 0);
}
TEST(ToolchainDefaults, BuildFiles) { EXPECT_FALSE(Submodule().present); }
TEST(ToolchainDefaults, BuildOptions) { EXPECT_TRUE(BuildOptions().auto_sync); }
TEST(ToolchainDefaults, BuilderMessages) {
  EXPECT_EQ(double(SourceLine().line), 0);
  EXPECT_FALSE(BuilderStatus().counts_work);
}
TEST(ToolchainDefaults, Changes) { EXPECT_FALSE(TouchedOperator().own); }
TEST(ToolchainDefaults, LaunchRewrite) { EXPECT_EQ(double(LaunchRewrite().launches), 0); }
TEST(ToolchainDefaults, Repository) { EXPECT_FALSE(Library().whole); }
TEST(ToolchainDefaults, Rewrite) { EXPECT_FALSE(EntryDeclaration().c_linkage); }
}  // namespace
}  // namespace akgen::toolchain
