// Cube core and Vector cores of a block together: who waits for whom, and calls that are for the
// other type of core.
#include "cube_fixture.h"

namespace akgen::sim {
namespace {
LaunchResult OnBoth(std::function<void()> kernel, uint32_t blocks = 1) {
  LaunchRequest r;
  r.kernel = std::move(kernel);
  r.blocks = blocks;
  r.chip = ModelOf(*chip::LoadChip());
  r.cores = {1, 2};
  return Launch(r);
}

TEST(CubeMixed, AHangSaysWhoseFlagIsMissing) {
  LaunchResult done = OnBoth([] {
    if (g_core->cube())
      akgen_cross_wait(5);
    else if (g_core->sub_block == 0)
      akgen_cross_set(2, AKGEN_PIPE_MTE3, 5);
  });
  EXPECT_EQ(done.status, "deadlock");
  EXPECT_EQ(
      done.detail,
      "block 0 (AIC) waits for a cross-core flag 5, which so far block 0 (AIV0) alone has set");
  done = OnBoth([] {
    if (g_core->cube())
      akgen_cross_wait(5);
    else
      akgen_cross_wait(3);
  });
  EXPECT_EQ(done.status, "deadlock");
  EXPECT_EQ(done.detail,
            "block 0 (AIC) waits for a cross-core flag 5, which its Vector cores have not set; "
            "block 0 (AIV0) waits for a "
            "cross-core flag 3, which neither its Cube core nor other Vector cores have set; block "
            "0 (AIV1) waits for a "
            "cross-core flag 3, which neither its Cube core nor other Vector cores have set");
}

// Sources lay out and call what belongs to the other type of core as well.
TEST(CubeMixed, CallsOfTheOtherTypeDoNothing) {
  uint64_t cube_ops = 0, vector_ops = 0, copies = 0;
  const LaunchResult done = OnBoth(
      [&] {
        std::vector<uint8_t> gm(64);
        AkgenCube c = {};
        c.op = AKGEN_CUBE_FILL, c.dst_type = c.src_type = AKGEN_F16, c.dst_position = AKGEN_POS_A2;
        c.dst = g_core->memory(MemoryId::L0A).base(), c.n[0] = c.n[1] = 1;
        akgen_cube(&c);
        if (g_core->cube()) {
          AkgenVec v = {};
          akgen_vec(&v);
          AkgenCopy copy = {};  // into the Unified Buffer
          copy.kind = AKGEN_GM_TO_UB, copy.block_count = 1, copy.block_len = 32,
          copy.src = gm.data();
          copy.dst = g_core->memory(MemoryId::UB).base();
          akgen_copy(&copy);
        }
        akgen_set_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_M,
                       0);  // nobody waits, and on a Vector core it is none
        akgen_wait_flag(AKGEN_PIPE_MTE1, AKGEN_PIPE_M, 0);
        akgen_wait_flag(g_core->cube() ? AKGEN_PIPE_V : AKGEN_PIPE_M, AKGEN_PIPE_S, 1);
        cube_ops += g_core->counts.cube_ops, vector_ops += g_core->counts.vector_ops,
            copies += g_core->counts.copies;
      },
      2);
  EXPECT_EQ(done.status, "ok") << done.detail;
  for (const auto& f : done.findings) ADD_FAILURE() << f.message;
  EXPECT_EQ(cube_ops, 2u) << "one for each Cube core";
  EXPECT_EQ(vector_ops + copies, 0u);
}
}  // namespace
}  // namespace akgen::sim
