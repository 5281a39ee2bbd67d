// The passes: what they promise, looked at in their results.
#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "craft/craft.h"
#include "on_default_chip.h"

namespace akgen::craft {
namespace {

std::string Example(const char* name) {
  auto text = base::ReadFile(std::string(AKGEN_SOURCE_DIR) + "/examples/craft/" + name + ".py");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

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
