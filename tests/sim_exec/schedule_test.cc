// Legal orders of execution: a correct kernel gives the same bytes under each, a missing flag shows
// under some.
#include <gtest/gtest.h>

#include "../golden.h"
#include "base/files.h"

#include <cstring>
#include <vector>

#include "akgen/abi.h"
#include "akgen/positions.h"
#include "sim/exec/core.h"
#include "sim/launch/launch.h"

namespace akgen::sim {
namespace {
constexpr uint64_t kSchedules = 32;
constexpr size_t kTile = 64, kTiles = 8, kCount = kTile * kTiles;

class Scheduled : public ::testing::Test {
 protected:
  void SetUp() override {
    for (size_t i = 0; i < kCount; ++i) in_[i] = float(i + 1);
  }
  void TearDown() override { ClearGmRegions(); }

  // Bytes of the output; empty when the launch does not end well.
  std::vector<uint32_t> Run(uint64_t schedule, const std::function<void()>& kernel,
                            uint32_t blocks = 1, bool checks = false) {
    ClearGmRegions();
    std::fill(out_.begin(), out_.end(), -1.0f);
    AddGmRegion({"x", reinterpret_cast<uint8_t*>(in_.data()), kCount * 4, Role::kInput});
    AddGmRegion({"y", reinterpret_cast<uint8_t*>(out_.data()), kCount * 4, Role::kOutput});
    static const ChipModel kChip = ModelOf(*chip::LoadChip());
    LaunchRequest r;
    r.chip = kChip;
    r.kernel = kernel;
    r.blocks = blocks;
    r.schedule = schedule;
    if (!checks) r.checks = {false, false, false, false};
    LaunchResult result = Launch(r);
    findings_ = result.findings;
    if (result.status != "ok") return {};
    std::vector<uint32_t> bits(kCount);
    std::memcpy(bits.data(), out_.data(), kCount * 4);
    return bits;
  }
  int Differ(const std::function<void()>& kernel, uint32_t blocks = 1) {
    std::vector<uint32_t> right = Run(0, kernel, blocks);
    int n = 0;
    for (uint64_t s = 1; s <= kSchedules; ++s) n += Run(s, kernel, blocks) != right;
    return n;
  }

  void Copy(bool load, void* ub, size_t first) {
    AkgenCopy c{};
    c.kind = load ? AKGEN_GM_TO_UB : AKGEN_UB_TO_GM;
    c.block_count = 1;
    c.block_len = kTile * 4;
    c.dst = load ? ub : out_.data() + first;
    c.src = load ? static_cast<void*>(in_.data() + first) : ub;
    akgen_copy(&c);
  }
  static void Double(void* dst, void* a) {
    AkgenVec v{};
    v.op = AKGEN_OP_Add;
    v.form = AKGEN_FORM_COUNT;
    v.dst_type = v.src_type = v.src1_type = AKGEN_F32;
    v.dst = dst;
    v.src0 = v.src1 = a;
    v.count = kTile;
    v.set_mask = 1;
    akgen_vec(&v);
  }
  static void Order(uint32_t src, uint32_t dst) {
    akgen_set_flag(src, dst, 0);
    akgen_wait_flag(src, dst, 0);
  }
  // y = 2 x, tile after tile, with the three flags that a single buffer needs; `leave_out` drops
  // one of them.
  void Tiles(int leave_out, size_t from = 0, size_t to = kTiles) {
    uint8_t* ub = static_cast<uint8_t*>(akgen_ub_base());
    if (leave_out != 2) akgen_set_flag(AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2, 0);
    for (size_t t = from; t < to; ++t) {
      if (leave_out != 2) akgen_wait_flag(AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2, 0);
      Copy(true, ub, t * kTile);
      if (leave_out != 0) Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_V);
      Double(ub + 4096, ub);
      if (leave_out != 1) Order(AKGEN_PIPE_V, AKGEN_PIPE_MTE3);
      Copy(false, ub + 4096, t * kTile);
      if (leave_out != 2) akgen_set_flag(AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2, 0);
    }
    if (leave_out != 2) akgen_wait_flag(AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2, 0);
  }

  std::vector<float> in_ = std::vector<float>(kCount), out_ = std::vector<float>(kCount);
  std::vector<RawFinding> findings_;
};

TEST_F(Scheduled, ACorrectKernelGivesTheSameBytesUnderEverySchedule) {
  auto kernel = [this] { Tiles(-1); };
  Run(0, kernel);
  EXPECT_EQ(out_[kCount - 1], 2.0f * kCount);
  EXPECT_EQ(Differ(kernel), 0);
}

TEST_F(Scheduled, ChecksStaySilentOnACorrectKernel) {
  for (uint64_t s = 1; s <= kSchedules; ++s) {
    EXPECT_FALSE(Run(s, [this] { Tiles(-1); }, 1, true).empty());
    EXPECT_TRUE(findings_.empty()) << s << ": " << findings_[0].message;
  }
}

TEST_F(Scheduled, EachMissingFlagChangesBytesUnderSome) {
  for (int flag : {0, 1, 2}) {
    auto kernel = [this, flag] { Tiles(flag); };
    EXPECT_EQ(Run(0, kernel), Run(0, [this] { Tiles(-1); }))
        << "eagerly the numbers are right, flag " << flag;
    EXPECT_GT(Differ(kernel), 0) << "flag " << flag;
  }
}

TEST_F(Scheduled, TheSameSeedGivesTheSameBytes) {
  auto kernel = [this] { Tiles(0); };
  for (uint64_t s = 1; s <= kSchedules; ++s) EXPECT_EQ(Run(s, kernel), Run(s, kernel)) << s;
}

// Who meets whom: pipes within a block, blocks otherwise; by what the two do.
TEST_F(Scheduled, RacesOfGlobalMemorySayWhoMeetsWhom) {
  struct Race {
    uint32_t blocks;
    bool first_writes, then_writes;
    const char* message;
  };
  for (const Race& race :
       {Race{1, true, true, "PIPE_MTE3 writes 'y' at offset 0 while PIPE_MTE3 may still write it"},
        Race{1, true, false, "PIPE_MTE2 reads 'y' at offset 0 while PIPE_MTE3 may still write it"},
        Race{1, false, true, "PIPE_MTE3 writes 'y' at offset 0 while PIPE_MTE2 may still read it"},
        Race{1, false, false, ""}, Race{2, true, true, ""},  // an overlap of outputs: memcheck's
        Race{2, true, false, "block 1 reads 'y' at offset 0 while block 0 may still write it"},
        Race{2, false, true, "block 1 writes 'y' at offset 0 while block 0 may still read it"},
        Race{2, false, false, ""}}) {
    Run(
        0,
        [&] {
          uint8_t* ub = static_cast<uint8_t*>(akgen_ub_base());
          auto access = [&](bool writes, size_t at) {
            AkgenCopy c{};
            c.kind = writes ? AKGEN_UB_TO_GM : AKGEN_GM_TO_UB;
            c.block_count = 1;
            c.block_len = 1024;  // more than a flag that is waited for
            c.dst = writes ? static_cast<void*>(out_.data()) : ub + at;
            c.src = writes ? ub + at : static_cast<void*>(out_.data());
            if (writes) std::memset(ub + at, at ? 1 : 2, 1024);  // the same bytes would be no race
            akgen_copy(&c);
          };
          if (race.blocks == 1 || akgen_block_idx() == 0) access(race.first_writes, 0);
          if (race.blocks == 1 || akgen_block_idx() == 1) access(race.then_writes, 4096);
        },
        race.blocks, true);
    std::string said;
    for (const RawFinding& f : findings_)
      if (f.message.find("may still") != std::string::npos) said += f.message;
    const std::string why =
        race.blocks == 1 ? "nothing orders the two" : "no cross-core synchronisation lies between";
    EXPECT_EQ(said, *race.message ? race.message + (": " + why) : "");
  }
}

// A block that loads one place again and again, and does nothing else, waits for another block:
// that one gets its turn.
TEST_F(Scheduled, ABlockThatWaitsForAPlaceLetsOthersRun) {
  struct Loads {
    int loads, places, store_every;
    bool waits;
  };
  for (const Loads& l :
       {Loads{4095, 1, 0, false}, Loads{4096, 1, 0, true}, Loads{20000, 2, 0, false},
        Loads{20000, 64, 0, false}, Loads{20000, 1, 4000, false}, Loads{20000, 1, 8000, true}}) {
    std::vector<uint32_t> ended;
    auto kernel = [&] {
      if (akgen_block_idx() == 0)
        for (int i = 0; i < l.loads; ++i) {
          akgen_scalar_read(&out_[size_t(i % l.places)], 4, AKGEN_SCALAR_GLOBAL_TENSOR);
          if (l.store_every && i % l.store_every == 0)
            akgen_scalar_write(&out_[0], 4, AKGEN_SCALAR_GLOBAL_TENSOR);
        }
      ended.push_back(uint32_t(akgen_block_idx()));
    };
    Run(0, kernel, 2);
    EXPECT_EQ(ended, l.waits ? (std::vector<uint32_t>{1, 0}) : (std::vector<uint32_t>{0, 1}))
        << l.loads << " of " << l.places;
  }
}

TEST_F(Scheduled, BlocksRunInAnyOrder) {
  auto shares = [this] { Tiles(-1, akgen_block_idx() * 2, akgen_block_idx() * 2 + 2); };
  EXPECT_EQ(Differ(shares, 4), 0);
  auto same = [this] {  // the last block to write wins
    uint8_t* ub = static_cast<uint8_t*>(akgen_ub_base());
    Copy(true, ub, akgen_block_idx() * kTile);
    Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3);
    Copy(false, ub, 0);
  };
  EXPECT_GT(Differ(same, 4), 0);
}

TEST_F(Scheduled, SyncAllOrdersBlocks) {
  auto kernel = [this](bool sync) {
    return [this, sync] {
      uint8_t* ub = static_cast<uint8_t*>(akgen_ub_base());
      uint32_t b = akgen_block_idx();
      Copy(true, ub, b * kTile);
      Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3);
      if (b == 0) Copy(false, ub, 0);
      if (sync) akgen_sync_all(0);
      if (b == 1) Copy(false, ub, 0);
    };
  };
  EXPECT_EQ(Differ(kernel(true), 2), 0);
  EXPECT_GT(Differ(kernel(false), 2), 0);
}

// The set is an instruction of its pipe: what that pipe did before is done when the wait ends.
TEST_F(Scheduled, ACrossCoreFlagFollowsTheWorkOfItsPipe) {
  auto kernel = [this](bool ordered) {
    return [this, ordered] {
      uint8_t* ub = static_cast<uint8_t*>(akgen_ub_base());
      uint32_t b = akgen_block_idx();
      Copy(true, ub, b * kTile);
      Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3);
      if (b == 0) Copy(false, ub, 0);
      if (ordered) akgen_cross_set(0, AKGEN_PIPE_MTE3, 3);
      if (ordered) akgen_cross_wait(3);
      if (b == 1) Copy(false, ub, 0);
    };
  };
  EXPECT_EQ(Differ(kernel(true), 2), 0);
  EXPECT_GT(Differ(kernel(false), 2), 0);
}

// A buffer that was freed, allocated again and never freed: at the end no wait is due, however far
// the pipes lag.
TEST_F(Scheduled, AQueueEndsWithoutAWaitThatIsNotDue) {
  auto kernel = [this] {
    int pipe = 0;
    uint32_t len = 0;
    akgen_tpipe_init(&pipe);
    uint32_t queue = akgen_que_init(AKGEN_POS_GM, AKGEN_POS_VECIN, 1, 1, kTile * 4);
    for (size_t tile = 0; tile < 2; ++tile) {
      void* t = akgen_que_alloc(queue, &len);
      Copy(true, t, tile * kTile);
      akgen_que_enque(queue, t);
      t = akgen_que_deque(queue, &len);
      Double(t, t);
      Order(AKGEN_PIPE_V, AKGEN_PIPE_MTE3);
      Copy(false, t, tile * kTile);
      Order(AKGEN_PIPE_MTE3, AKGEN_PIPE_V);
      if (tile == 0) akgen_que_free(queue, t);
    }
    akgen_tpipe_destroy(&pipe);
  };
  EXPECT_EQ(Differ(kernel), 0);
}

// Buffers change hands; what lags behind was right by those it was given.
TEST_F(Scheduled, LateWorkIsJudgedByTheBuffersOfItsTime) {
  auto kernel = [this] {
    int pipe = 0;
    uint32_t len = kTile * 4, small = 64;
    akgen_tpipe_init(&pipe);
    void* ub = akgen_buf_init(AKGEN_POS_VECCALC, &len);
    for (size_t tile = 0; tile < kTiles; ++tile) {
      Copy(true, ub, tile * kTile);
      Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3);
      Copy(false, ub, tile * kTile);
      Order(AKGEN_PIPE_MTE3, AKGEN_PIPE_MTE2);
    }
    akgen_tpipe_reset(&pipe);
    akgen_buf_init(AKGEN_POS_VECCALC, &small);
    akgen_buf_init(AKGEN_POS_VECCALC, &small);
    akgen_pipe_barrier(AKGEN_PIPE_ALL);
    akgen_tpipe_destroy(&pipe);
  };
  for (uint64_t s = 0; s <= kSchedules; ++s) {
    EXPECT_FALSE(Run(s, kernel, 1, true).empty());
    EXPECT_TRUE(findings_.empty()) << "schedule " << s << ": " << findings_[0].message;
  }
}

TEST_F(Scheduled, CopiesOfOnePipeOvertakeEachOtherWithoutABarrier) {
  auto kernel = [this](bool barrier) {
    return [this, barrier] {
      uint8_t* ub = static_cast<uint8_t*>(akgen_ub_base());
      for (size_t t = 0; t < 3; ++t) Copy(true, ub + 4096 * t, t * kTile);
      Order(AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3);
      for (size_t t = 0; t < 3; ++t) {
        Copy(false, ub + 4096 * t, 0);
        if (barrier) akgen_pipe_barrier(AKGEN_PIPE_MTE3);
      }
    };
  };
  EXPECT_EQ(Differ(kernel(true)), 0);
  EXPECT_GT(Differ(kernel(false)), 0);
}
// The lists of an instruction are arrays of its caller, whose frame is gone when the pipe gets to
// it.
TEST(Schedule, HeldInstructionsTakeTheirListsAlong) {
  uint64_t dst[16], src[16], merge[4];
  for (uint64_t i = 0; i < 16; ++i) dst[i] = i, src[i] = 100 + i, merge[i % 4] = 200 + i % 4;
  auto held = [](uint16_t op, uint64_t* first, uint64_t* second) {
    AkgenVec v = {};
    v.op = op;
    v.aux[0] = reinterpret_cast<uint64_t>(first);
    v.aux[1] = reinterpret_cast<uint64_t>(second);
    return HeldWork(v, IssueState{}, Clock{}, 0);
  };
  HeldWork a = held(AKGEN_OP_TransDataTo5HD, dst, src), b = held(AKGEN_OP_MrgSort, merge, nullptr);
  for (uint64_t i = 0; i < 16; ++i) dst[i] = src[i] = merge[i % 4] = 0;
  const HeldWork moved = std::move(a);
  auto at = [](const HeldWork& h, int list, int i) {
    return reinterpret_cast<const uint64_t*>(std::get<AkgenVec>(h.work).aux[list])[i];
  };
  EXPECT_EQ(at(moved, 0, 15), 15u);
  EXPECT_EQ(at(moved, 1, 3), 103u);
  EXPECT_EQ(at(b, 0, 2), 202u);
}

// A number of a schedule means the same orders for ever: it stands in records.
TEST(Schedules, DrawTheSameForEver) {
  std::string said;  // order of the pipes, which of 16 asked places hurry, the next number
  for (uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 500})
    for (uint32_t block : {0u, 3u})
      for (bool cube : {false, true}) {
        Schedule s(seed, block);
        if (cube) s.OnCube(seed);
        said += std::to_string(seed) + "," + std::to_string(block) + (cube ? "c " : " ");
        for (uint32_t pipe : s.order()) said += std::to_string(pipe);
        said += s.on() ? s.mixes() ? " mixes " : " keeps " : " off ";
        for (size_t i = 0; i < 16; ++i) said += s.Hurries(i % 4) ? "1" : "0";
        said += " " + std::to_string(s.Below(1000)) + "\n";
      }
  std::string many;  // so many that every chance of 256 decides at least one
  for (uint64_t seed = 7; seed < 2000; ++seed) {
    Schedule s(seed, 1);
    many += s.mixes() ? "m" : "k";
    for (size_t i = 0; i < 3; ++i) many += s.Hurries(i) ? "1" : "0";
  }
  ExpectGolden(AKGEN_GOLDEN_FOLDER, "schedules.txt", said + base::ContentHash(many) + "\n");
}

}  // namespace
}  // namespace akgen::sim
