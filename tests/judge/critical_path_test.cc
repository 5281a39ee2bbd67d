// The chain of work that ends last, and time by line.
#include "judge/time/critical_path.h"

#include <gtest/gtest.h>

namespace akgen::judge {
namespace {
enum Pipe : uint8_t { kS, kV, kMte2, kOther };

record::Timeline Of(std::vector<record::TimeSpan> spans) {
  record::Timeline t;
  t.pipes = {"S", "V", "MTE2", "other cores"};
  t.names = {"start", "copy in", "Add", "wait flag"};
  t.sites = {{"", 0}, {"k.cpp", 3}, {"k.cpp", 5}};
  t.cores = 1;
  t.spans = std::move(spans);
  return t;
}
record::TimeSpan Span(double begin, double end, uint8_t pipe, uint8_t after, uint16_t what,
                      uint32_t site, bool wait = false) {
  return {begin, end, 0, pipe, after, wait, what, site};
}

// Two copies back to back; each addition waits for its copy, the second also for the first
// addition.
record::Timeline TwoTiles() {
  return Of({Span(0, 2, kS, kS, 0, 0), Span(2, 5, kMte2, kS, 1, 1),
             Span(2, 5, kV, kMte2, 3, 2, true), Span(5, 6, kV, kMte2, 2, 2),
             Span(5, 9, kMte2, kMte2, 1, 1), Span(6, 9.5, kV, kMte2, 3, 2, true),
             Span(9.5, 11, kV, kMte2, 2, 2)});
}

TEST(CriticalPath, FollowsWhatLetEachBegin) {
  const auto t = TwoTiles();
  EXPECT_EQ(CriticalPathOf(t), (std::vector<uint32_t>{0, 1, 4, 6}));
  std::map<std::string, double> shares;
  for (const PathShare& s : SharesOf(t, CriticalPathOf(t))) shares[s.what] = s.us;
  EXPECT_EQ(shares, (std::map<std::string, double>{
                        {"start", 2}, {"MTE2", 7}, {"V", 1.5}, {"hand-over", 0.5}}));
}

TEST(CriticalPath, GoesThroughTheUnitThatIsNeverIdle) {
  const auto t = Of({Span(0, 1, kMte2, kS, 1, 1), Span(1, 4, kV, kMte2, 2, 2),
                     Span(1, 2, kMte2, kMte2, 1, 1), Span(4, 8, kV, kV, 2, 2)});
  EXPECT_EQ(CriticalPathOf(t), (std::vector<uint32_t>{0, 1, 3}));
}

TEST(CriticalPath, AWaitForOtherCoresIsOnIt) {
  const auto t =
      Of({Span(0, 1, kV, kS, 2, 2), Span(1, 6, kS, kOther, 3, 2, true), Span(6, 8, kV, kS, 2, 2)});
  EXPECT_EQ(CriticalPathOf(t), (std::vector<uint32_t>{1, 2}));
}

TEST(CriticalPath, LinesHaveTheirPartOfIt) {
  const auto t = TwoTiles();
  const auto lines = LinesOf(t, CriticalPathOf(t));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, 3);
  EXPECT_DOUBLE_EQ(lines[0].path_us, 7);
  EXPECT_DOUBLE_EQ(lines[0].BusyUs(), 7);
  EXPECT_EQ(lines[1].line, 5);
  EXPECT_DOUBLE_EQ(lines[1].path_us, 1.5);
  EXPECT_DOUBLE_EQ(lines[1].BusyUs(), 2.5);
  EXPECT_DOUBLE_EQ(lines[1].wait_us, 6.5);
}

TEST(CriticalPath, ATimelineThatContradictsItselfEnds) {
  const auto t = Of({Span(3, 4, kV, kMte2, 2, 2), Span(3, 4, kMte2, kV, 1, 1)});
  EXPECT_LE(CriticalPathOf(t).size(), 2u);
  EXPECT_TRUE(CriticalPathOf(Of({})).empty());
}
}  // namespace
}  // namespace akgen::judge
