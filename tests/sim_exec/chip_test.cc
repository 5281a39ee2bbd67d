// The chip through its C interface, as compiled kernels see it.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "akgen/abi.h"
#include "akgen/positions.h"
#include "sim/launch/launch.h"

namespace akgen::sim {
namespace {

class Chip : public ::testing::Test {
 protected:
  void SetUp() override {
    ClearGmRegions();
    for (size_t i = 0; i < in_.size(); ++i) in_[i] = float(i);
    AddGmRegion({"x", Bytes(in_), in_.size() * 4, Role::kInput});
    AddGmRegion({"y", Bytes(out_), out_.size() * 4, Role::kOutput});
  }
  void TearDown() override { ClearGmRegions(); }
  static uint8_t* Bytes(std::vector<float>& v) { return reinterpret_cast<uint8_t*>(v.data()); }

  LaunchResult Run(std::function<void()> kernel, uint32_t blocks = 1) {
    static const ChipModel kChip = ModelOf(*chip::LoadChip());
    LaunchRequest r;
    r.chip = kChip;
    r.kernel = std::move(kernel);
    r.blocks = blocks;
    return Launch(r);
  }
  static bool Has(const LaunchResult& r, FindingKind k) {
    for (auto& f : r.findings)
      if (f.kind == k) return true;
    return false;
  }
  void Load(void* ub, size_t first, size_t n) {
    AkgenCopy c{};
    c.kind = AKGEN_GM_TO_UB;
    c.block_count = 1;
    c.block_len = uint32_t(n * 4);
    c.dst = ub;
    c.src = in_.data() + first;
    akgen_copy(&c);
  }
  void Store(void* ub, size_t first, size_t n) {
    AkgenCopy c{};
    c.kind = AKGEN_UB_TO_GM;
    c.is_pad_api = 1;
    c.block_count = 1;
    c.block_len = uint32_t(n * 4);
    c.src = ub;
    c.dst = out_.data() + first;
    akgen_copy(&c);
  }
  static void Add(void* dst, void* a, void* b, uint32_t n) {
    AkgenVec v{};
    v.op = AKGEN_OP_Add;
    v.form = AKGEN_FORM_COUNT;
    v.dst_type = v.src_type = v.src1_type = AKGEN_F32;
    v.dst = dst;
    v.src0 = a;
    v.src1 = b;
    v.count = n;
    v.set_mask = 1;
    akgen_vec(&v);
  }
  static uint8_t* Ub(size_t at) { return static_cast<uint8_t*>(akgen_ub_base()) + at; }

  std::vector<float> in_ = std::vector<float>(1024), out_ = std::vector<float>(1024);
};

TEST_F(Chip, FlagsOrderThePipes) {
  LaunchResult r = Run([&] {
    Load(Ub(0), 0, 1024);
    akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    Add(Ub(8192), Ub(0), Ub(0), 1024);
    akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    Store(Ub(8192), 0, 1024);
  });
  EXPECT_EQ(r.status, "ok");
  EXPECT_TRUE(r.findings.empty()) << r.findings[0].message;
  EXPECT_EQ(out_[1023], 2046.0f);
}

TEST_F(Chip, AMissingFlagIsARaceAlthoughTheNumbersAreRight) {
  LaunchResult r = Run([&] {
    Load(Ub(0), 0, 1024);
    Add(Ub(8192), Ub(0), Ub(0), 1024);
    akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    Store(Ub(8192), 0, 1024);
  });
  EXPECT_TRUE(Has(r, FindingKind::kRaceReadAfterWrite));
  EXPECT_EQ(out_[5], 10.0f);
}

TEST_F(Chip, APipeHoldsBackUntilTheFlagIsSetLaterInProgramOrder) {
  LaunchResult r = Run([&] {
    akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 3);
    Add(Ub(8192), Ub(0), Ub(0), 1024);
    akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    Store(Ub(8192), 0, 1024);
    Load(Ub(0), 0, 1024);
    akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 3);
  });
  EXPECT_EQ(r.status, "ok");
  EXPECT_TRUE(r.findings.empty()) << r.findings[0].message;
  EXPECT_EQ(out_[7], 14.0f);
}

TEST_F(Chip, AWaitThatNobodyAnswersIsADeadlock) {
  LaunchResult r = Run([&] {
    akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 1);
    Add(Ub(8192), Ub(0), Ub(0), 64);
  });
  EXPECT_EQ(r.status, "deadlock");
  ASSERT_TRUE(Has(r, FindingKind::kDeadlock));
  EXPECT_NE(r.detail.find("PIPE_V waits for a flag from PIPE_MTE2 (event id 1)"), std::string::npos)
      << r.detail;
}

TEST_F(Chip, ARepeatReadsItsSourcesBeforeItWrites) {
  LaunchResult r = Run([&] {
    Load(Ub(0), 0, 1024);
    akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    Add(Ub(32), Ub(0), Ub(0), 128);  // eight elements ahead of its source, two repeats
    akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    Store(Ub(0), 0, 136);
  });
  EXPECT_EQ(r.status, "ok");
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(out_[i], float(i));
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(out_[8 + i], 2.0f * float(i));
  // The second repeat starts inside what the first one wrote: elements 64 to 71 hold twice 56
  // to 63.
  for (size_t i = 64; i < 72; ++i) EXPECT_EQ(out_[8 + i], 4.0f * float(i - 8));
  for (size_t i = 72; i < 128; ++i) EXPECT_EQ(out_[8 + i], 2.0f * float(i));
}

TEST_F(Chip, UndefinedDataReachesTheOutputReport) {
  LaunchResult r = Run([&] {
    Load(Ub(0), 0, 512);
    akgen_set_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    akgen_wait_flag(AKGEN_PIPE_MTE2, AKGEN_PIPE_V, 0);
    Add(Ub(8192), Ub(0), Ub(0), 1024);  // the upper half was never loaded
    akgen_set_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    akgen_wait_flag(AKGEN_PIPE_V, AKGEN_PIPE_MTE3, 0);
    Store(Ub(8192), 0, 1024);
  });
  ASSERT_TRUE(Has(r, FindingKind::kUndefinedOutput));
  EXPECT_EQ(r.findings[0].address, 2048u);
  EXPECT_EQ(r.findings[0].bytes, 2048u);
}

TEST_F(Chip, CopiesBeyondATensorAreFound) {
  LaunchResult r = Run([&] { Load(Ub(0), 1016, 16); });
  ASSERT_TRUE(Has(r, FindingKind::kGmOutOfBounds));
  EXPECT_NE(r.findings[0].message.find("'x'"), std::string::npos);
  r = Run([&] { Load(Ub(196608 - 32), 0, 16); });
  EXPECT_TRUE(Has(r, FindingKind::kUbOutOfBounds));
  r = Run([&] { Load(Ub(4), 0, 16); });
  EXPECT_TRUE(Has(r, FindingKind::kUbMisaligned));
}

TEST_F(Chip, FillerRepeatsTheFirstElementUnlessPaddingWasAskedFor) {
  std::vector<float> seen(16);
  LaunchResult r = Run([&] {
    AkgenCopy c{};
    c.kind = AKGEN_GM_TO_UB;
    c.is_pad_api = c.is_pad = 1;  // a padding value, but no padding
    c.block_count = 1;
    c.block_len = 12;
    c.dst = Ub(0);
    c.src = in_.data() + 5;
    akgen_copy(&c);
    c.right_pad = 2;
    c.dst = Ub(32);
    akgen_copy(&c);
    akgen_scalar_read(Ub(0), 64, 1);
    std::memcpy(seen.data(), Ub(0), 64);
  });
  EXPECT_EQ(seen, (std::vector<float>{5, 6, 7, 5, 5, 5, 5, 5, 5, 6, 7, 0, 0, 0, 0, 0}));
}

TEST_F(Chip, QueuesOrderWhatTheyCarry) {
  LaunchResult r = Run([&] {
    uint32_t in = akgen_que_init(AKGEN_POS_GM, AKGEN_POS_VECIN, 2, 2, 1024);
    uint32_t out = akgen_que_init(AKGEN_POS_VECOUT, AKGEN_POS_GM, 2, 2, 1024);
    for (int i = 0; i < 4; ++i) {
      uint32_t len = 0;
      void* a = akgen_que_alloc(in, &len);
      Load(a, size_t(i) * 256, 256);
      akgen_que_enque(in, a);
      a = akgen_que_deque(in, &len);
      void* b = akgen_que_alloc(out, &len);
      Add(b, a, a, 256);
      akgen_que_enque(out, b);
      akgen_que_free(in, a);
      b = akgen_que_deque(out, &len);
      Store(b, size_t(i) * 256, 256);
      akgen_que_free(out, b);
    }
  });
  EXPECT_EQ(r.status, "ok");
  EXPECT_TRUE(r.findings.empty()) << r.findings[0].message;
  EXPECT_EQ(out_[1000], 2000.0f);
}

TEST_F(Chip, BuffersOfAQueueAreTakenInTurn) {
  std::vector<void*> got;
  LaunchResult r = Run([&] {
    uint32_t q = akgen_que_init(AKGEN_POS_VECOUT, AKGEN_POS_GM, 2, 3, 64);
    uint32_t len = 0;
    for (int i = 0; i < 4; ++i) {
      got.push_back(akgen_que_alloc(q, &len));
      akgen_que_free(q, got.back());
    }
    void* held = akgen_que_alloc(q, &len);  // the second one; the next turn passes over it
    for (int i = 0; i < 3; ++i) {
      got.push_back(akgen_que_alloc(q, &len));
      akgen_que_free(q, got.back());
    }
    akgen_que_free(q, held);
  });
  EXPECT_EQ(r.status, "ok");
  ASSERT_EQ(got.size(), 7u);
  EXPECT_NE(got[0], got[1]);
  EXPECT_NE(got[1], got[2]);
  EXPECT_EQ(got[3], got[0]);
  EXPECT_EQ(got[4], got[2]);
  EXPECT_EQ(got[5], got[0]);
  EXPECT_EQ(got[6], got[2]);
}

TEST_F(Chip, QueueMisuseIsNamed) {
  LaunchResult r = Run([&] {
    uint32_t q = akgen_que_init(AKGEN_POS_GM, AKGEN_POS_VECIN, 1, 1, 64);
    uint32_t len;
    akgen_que_deque(q, &len);
  });
  EXPECT_TRUE(Has(r, FindingKind::kQueueEmpty));
  r = Run([&] {
    uint32_t q = akgen_que_init(AKGEN_POS_GM, AKGEN_POS_VECIN, 1, 1, 64);
    uint32_t len;
    akgen_que_alloc(q, &len);
    akgen_que_alloc(q, &len);
  });
  EXPECT_TRUE(Has(r, FindingKind::kNoIdleBuffer));
  r = Run([&] { akgen_que_init(AKGEN_POS_GM, AKGEN_POS_VECIN, 1, 2, 100000); });
  EXPECT_TRUE(Has(r, FindingKind::kUbOverBudget));
}

TEST_F(Chip, BlocksMeetAtSyncAll) {
  std::vector<int> order;
  LaunchResult r = Run(
      [&] {
        order.push_back(int(akgen_block_idx()));
        akgen_sync_all(1);
        order.push_back(10 + int(akgen_block_idx()));
        akgen_sync_all(1);
      },
      3);
  EXPECT_EQ(r.status, "ok");
  ASSERT_EQ(order.size(), 6u);
  for (int i = 0; i < 3; ++i) EXPECT_LT(order[size_t(i)], 10);
  for (int i = 3; i < 6; ++i) EXPECT_GE(order[size_t(i)], 10);
}

TEST_F(Chip, ABlockThatSkipsSyncAllHangsTheRest) {
  LaunchResult r = Run(
      [&] {
        if (akgen_block_idx() != 1) akgen_sync_all(1);
      },
      3);
  EXPECT_EQ(r.status, "deadlock");
  EXPECT_NE(r.detail.find("block 0 waits for SyncAll"), std::string::npos) << r.detail;
}

TEST_F(Chip, AnInvalidPointerEndsTheLaunchNotTheProcess) {
  LaunchResult r = Run([&] { *reinterpret_cast<volatile int*>(64) = 1; });
  EXPECT_EQ(r.status, "crash");
  EXPECT_TRUE(Has(r, FindingKind::kInvalidPointer));
}

TEST_F(Chip, ScalarReadsAreOrderedByTheCompiler) {
  float seen = 0;
  LaunchResult r = Run([&] {
    Load(Ub(0), 0, 64);
    akgen_scalar_read(Ub(12), 4, 1);
    std::memcpy(&seen, Ub(12), 4);
    Add(Ub(1024), Ub(0), Ub(0), 64);  // ordered after the load through the scalar unit's wait
  });
  EXPECT_EQ(seen, 3.0f);
  for (auto& f : r.findings) EXPECT_EQ(f.kind, FindingKind::kUndefinedOutput) << f.message;
}

// A kernel may lay out memories that its core does not have. They are not the Unified Buffer, and
// nothing works on them.
TEST_F(Chip, TensorsOfTheCubeAreLaidOutAndNotUsed) {
  for (uint32_t position : {AKGEN_POS_A1, AKGEN_POS_B2, AKGEN_POS_CO1}) {
    LaunchResult laid = Run([&] { EXPECT_NE(akgen_static_tensor(position, 0, 1024), Ub(0)); });
    EXPECT_EQ(laid.status, "ok") << position << ": " << laid.detail;
    LaunchResult used = Run([&] {
      Load(Ub(0), 0, 64);
      Add(akgen_static_tensor(position, 0, 1024), Ub(0), Ub(0), 64);
    });
    EXPECT_TRUE(used.status != "ok" || !used.findings.empty()) << position;
  }
  LaunchResult r = Run([] { EXPECT_EQ(akgen_static_tensor(AKGEN_POS_VECCALC, 64, 1024), Ub(64)); });
  EXPECT_EQ(r.status, "ok") << r.detail;
}

// However many of them turn out to be waits: a race behind them is not lost.
TEST(Findings, ManyDoubtsHideNoRace) {
  FindingLog log;
  log.Enable(Checks());
  const int polled = 0, other = 0;
  RawFinding f;
  f.kind = FindingKind::kRaceReadAfterWrite;
  for (int i = 0; i < 4096; ++i) log.AddUnlessPolled(&polled, f);
  log.AddUnlessPolled(&other, f);
  log.AddDoubts({&polled});
  ASSERT_EQ(log.all().size(), 1u);
  EXPECT_EQ(log.all()[0].count, 1u);
}

}  // namespace
}  // namespace akgen::sim
