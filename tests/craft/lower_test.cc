// The passes: what they promise, looked at in their results.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/files.h"
#include "craft/craft.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

std::string Source(const std::string& path) {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}
std::string Example(const std::string& name) { return Source("examples/craft/" + name + ".py"); }

TEST(CraftLower, SameTextEveryTime) {
  std::string s = Example("softmax");
  EXPECT_EQ(EmitProject(Compile(s).lowered), EmitProject(Compile(s).lowered));
}

TEST(CraftLower, EveryPassIsSeen) {
  std::set<std::string> seen;
  Compile(Example("rms_norm"), [&](const Pass& p, const LoweredKernel&) { seen.insert(p.name); });
  EXPECT_EQ(seen.size(), Passes().size());
}

TEST(CraftLower, QueuesInLoopsHaveTwoBuffersOthersOne) {
  Compiled c = Compile(Example("rms_norm"));
  ASSERT_FALSE(c.lowered.empty());
  const LoweredKernel& k = c.lowered[0].kernels[0];
  for (size_t b = 0; b < k.roles.size(); ++b)
    EXPECT_EQ(k.depth[b], k.kernel.buffers[b].name == "gamma_ub" ? 1 : 2) << k.kernel.buffers[b].name;
}

int64_t BuffersOfQueues(const LoweredKernel& k, Role role) {
  int64_t n = 0;
  for (size_t b = 0; b < k.roles.size(); ++b)
    if (k.roles[b] == role && k.queue[b] == int(b)) n += k.depth[b];
  return n;
}

TEST(CraftLower, PhasesThatFollowEachOtherShareQueuesWhereIdsAreShort) {
  Compiled c = Compile(Source("tests/craft/programs/two_phases.py"));
  ASSERT_FALSE(c.lowered.empty());
  const LoweredKernel& k = c.lowered[0].kernels[0];
  EXPECT_LE(BuffersOfQueues(k, Role::kIn), 8);
  for (size_t b = 0; b < k.roles.size(); ++b) {
    const std::string& name = k.kernel.buffers[b].name;
    const int owner = k.queue[b];
    EXPECT_GE(k.depth[owner], 1) << name << ": ten queues of one phase each are five";
    if (k.roles[b] == Role::kIn && name[0] == 'b') EXPECT_EQ(k.kernel.buffers[owner].name[0], 'a') << name;
    if (k.roles[b] == Role::kOut) EXPECT_EQ(owner, int(b)) << name << ": two outputs have ids enough";
  }
}

TEST(CraftLower, NoMoreBuffersBetweenTwoPipesThanEventIds) {
  Compiled c = Compile(Source("tests/craft/programs/nine_inputs.py"));
  ASSERT_FALSE(c.lowered.empty());
  const LoweredKernel& k = c.lowered[0].kernels[0];
  EXPECT_EQ(BuffersOfQueues(k, Role::kIn), 8);
  EXPECT_EQ(k.depth[0], 1);
  EXPECT_EQ(std::count(k.depth.begin(), k.depth.end(), 0), 1) << "one of nine is between barriers";
}

TEST(CraftLower, TemporariesThatLiveTogetherLieApart) {
  Compiled c = Compile(Example("softmax"));
  ASSERT_FALSE(c.lowered.empty());
  for (const auto& p : c.lowered) {
    const LoweredKernel& k = p.kernels[0];
    for (const auto& [stmt, code] : k.code) {
      std::map<int, std::pair<int, int>> life;
      for (const Instr& in : code.instrs)
        for (const Tile& t : in.tiles)
          if (t.temp >= 0) life.insert({t.temp, {in.group, in.group}}).first->second.second = in.group;
      for (const auto& [a, la] : life)
        for (const auto& [b, lb] : life)
          if (a < b && k.temps[a].slot == k.temps[b].slot) {
            EXPECT_TRUE(la.second < lb.first || lb.second < la.first);
          }
    }
    EXPECT_LT(k.slots.size(), k.temps.size()) << "nothing is shared";
  }
}

TEST(CraftLower, EqualColumnsShareAClass) {
  std::string kernel = EmitProject(Compile(Example("softmax")).lowered).at("op_kernel/inplace_attn_softmax.cpp");
  EXPECT_NE(kernel.find("SoftmaxKernelF16<bfloat16_t>"), std::string::npos);
  EXPECT_EQ(kernel.find("class SoftmaxKernelBF16"), std::string::npos);
}

}  // namespace
}  // namespace akgen::craft
