#include "sim/machine/shadow.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "akgen/abi.h"
#include "sim/machine/pipe.h"

namespace akgen::sim {
namespace {

constexpr PipeList kReaching{AKGEN_PIPE_S, AKGEN_PIPE_V, AKGEN_PIPE_MTE2, AKGEN_PIPE_MTE3,
                             kRawScalar};

TEST(DefinedBits, IsExactToTheByte) {
  DefinedBits d;
  d.Resize(256);
  d.Set(5, 70, true);
  EXPECT_TRUE(d.Defined(5, 70));
  EXPECT_FALSE(d.Defined(4, 2));
  EXPECT_FALSE(d.Defined(74, 2));
  EXPECT_EQ(d.Find(5, 200, false), 75u);
  EXPECT_EQ(d.Find(0, 256, true), 5u);
  d.Set(40, 1, false);
  EXPECT_FALSE(d.Defined(5, 70));
  EXPECT_EQ(d.Find(5, 70, false), 40u);
  EXPECT_EQ(d.Find(5, 35, false), SIZE_MAX);
}

TEST(AccessHistory, FindsWhatTheClockDoesNotKnow) {
  AccessHistory h;
  h.Resize(1024, kReaching);
  Clock none;
  EXPECT_FALSE(h.Write(64, 96, AKGEN_PIPE_MTE2, none, 1, 7).found);
  Conflict c = h.Read(128, 96, AKGEN_PIPE_V, none, 2, 8);
  ASSERT_TRUE(c.found);
  EXPECT_TRUE(c.prior_is_write);
  EXPECT_EQ(c.pipe, uint32_t(AKGEN_PIPE_MTE2));
  EXPECT_EQ(c.site, 7u);
  EXPECT_EQ(c.at, 128u);
  Clock knows;
  knows.at[AKGEN_PIPE_MTE2] = 1;
  EXPECT_FALSE(h.Read(64, 96, AKGEN_PIPE_V, knows, 3, 9).found);
  EXPECT_TRUE(h.Write(96, 32, AKGEN_PIPE_MTE2, knows, 4, 10).found)
      << "the reads of V are not known to be over";
}

TEST(AccessHistory, AnInstructionDoesNotRaceWithItself) {
  AccessHistory h;
  h.Resize(64, kReaching);
  Clock none;
  h.Write(0, 32, AKGEN_PIPE_MTE2, none, 5, 1);
  EXPECT_FALSE(h.Write(0, 32, AKGEN_PIPE_MTE2, none, 5, 1).found);
  EXPECT_TRUE(h.Write(0, 32, AKGEN_PIPE_MTE2, none, 6, 1).found);
}

TEST(AccessHistory, PartsOfABlockDoNotMeet) {
  AccessHistory h;
  h.Resize(128, kReaching);
  Clock none;
  h.Read(32, 4, AKGEN_PIPE_MTE3, none, 1, 1);
  EXPECT_FALSE(h.Write(36, 28, AKGEN_PIPE_V, none, 2, 2).found);
  std::vector<ByteRange> contested;
  Conflict c = h.Write(32, 36, AKGEN_PIPE_V, none, 3, 3, &contested);
  ASSERT_TRUE(c.found);
  EXPECT_EQ(c.at, 32u + 4u) << "the earlier write of V itself comes first";
  ASSERT_EQ(contested.size(), 2u);
  EXPECT_EQ(contested[1].from, 32u);
  EXPECT_EQ(contested[1].to, 36u) << "the four bytes that MTE3 reads";
}

// The bytes are remembered however many parts a block is touched in, and wherever.
TEST(AccessHistory, RemembersPartsAsASetOfBytesWould) {
  AccessHistory h;
  h.Resize(96, kReaching);
  Clock none;
  std::vector<bool> touched(96, false);
  uint32_t epoch = 0, seed = 12345, missed = 0, found = 0;
  for (int i = 0; i < 400; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const uint32_t at = (seed >> 8) % 90, bytes = 1 + (seed >> 20) % std::min(40u, 96 - at);
    if (i % 4) {
      h.Read(at, bytes, AKGEN_PIPE_MTE3, none, ++epoch, 1);
      std::fill(touched.begin() + at, touched.begin() + at + bytes, true);
      if (i % 40 == 39) {  // MTE3 is waited for: everything until now is over
        none.at[AKGEN_PIPE_MTE3] = epoch;
        touched.assign(96, false);
      }
    } else {
      Clock v = none;
      v.at[AKGEN_PIPE_V] = epoch;
      bool meets =
          std::any_of(touched.begin() + at, touched.begin() + at + bytes, [](bool b) { return b; });
      bool told = h.Write(at, bytes, AKGEN_PIPE_V, v, ++epoch, 2).found;
      missed += meets && !told;
      found += meets && told;
    }
  }
  EXPECT_EQ(missed, 0u);
  EXPECT_GT(found, 20u);
}

// Five parts of a block, which keeps four: in any order none of their bytes is forgotten, and the
// parts that were not joined are still told apart.
TEST(AccessHistory, PartsThatAreJoinedKeepTheirBytes) {
  constexpr uint32_t kFirst[] = {1, 7, 13, 19, 25}, kBytes = 3;
  std::vector<int> order = {0, 1, 2, 3, 4};
  do {
    const auto [low, high] = std::minmax(kFirst[order[0]], kFirst[order[1]]);
    for (uint32_t at = 0; at < 32; ++at) {
      AccessHistory h;
      h.Resize(64, kReaching);
      Clock none;
      uint32_t epoch = 0;
      for (int i : order) h.Read(kFirst[i], kBytes, AKGEN_PIPE_MTE3, none, ++epoch, uint32_t(i));
      const bool joined = at >= low && at < high + kBytes,
                 read = std::any_of(
                     kFirst, kFirst + 5,
                     [&](uint32_t from) { return at >= from && at < from + kBytes; });
      ASSERT_EQ(h.Write(at, 1, AKGEN_PIPE_V, none, ++epoch, 9).found, joined || read)
          << "byte " << at << ", first " << order[0] << ", then " << order[1];
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

// Of every pair of pipes and every id: which waits a standing set meets.
TEST(EventIds, StandingSetsMeetOneWaitEach) {
  for (uint32_t src = 0; src < kPipes; ++src)
    for (uint32_t dst = 0; dst < kPipes; ++dst)
      for (int32_t id = 0; id < EventIds::kCount; ++id) {
        const bool theirs = src == AKGEN_PIPE_M && dst == AKGEN_PIPE_MTE1,
                   stands = theirs && id < EventIds::kStanding;
        EventIds ids;
        EXPECT_FALSE(ids.TakeStanding(src, dst, id)) << "none stands yet";
        ids.SetStanding();
        EXPECT_EQ(ids.Taken(src, dst, id), stands) << src << " " << dst << " " << id;
        ids.OpenSets(src, dst, id) = 1;
        EXPECT_FALSE(ids.TakeStanding(src, dst, id)) << "the kernel's own set comes first";
        ids.OpenSets(src, dst, id) = 0;
        if (src != dst) ids.OpenSets(dst, src, id) = 1;  // the other way round: another event
        EXPECT_EQ(ids.TakeStanding(src, dst, id), stands) << src << " " << dst << " " << id;
        EXPECT_FALSE(ids.TakeStanding(src, dst, id)) << "it is taken";
        ids.SetStanding(), ids.EndStanding();
        EXPECT_FALSE(ids.TakeStanding(src, dst, id)) << "none stands any more";
        EXPECT_FALSE(ids.Taken(src, dst, id));
      }
}

}  // namespace
}  // namespace akgen::sim
