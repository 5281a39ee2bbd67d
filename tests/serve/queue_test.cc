#include <gtest/gtest.h>

#include "serve/fair_queue.h"
#include "serve/metrics.h"

namespace akgen::serve {
namespace {
std::string Drain(FairQueue& queue) {
  std::string out;
  while (auto id = queue.Next()) out += (out.empty() ? "" : " ") + *id;
  return out;
}

TEST(FairQueue, AFloodDoesNotStarveOthers) {
  FairQueue queue({});
  for (int i = 0; i < 5; ++i) queue.Add("flood" + std::to_string(i), {"a", ""}, Priority::kHigh, 1);
  queue.Add("polite0", {"b", ""}, Priority::kLow, 1);
  queue.Add("polite1", {"b", ""}, Priority::kLow, 1);
  EXPECT_EQ(Drain(queue), "flood0 polite0 flood1 polite1 flood2 flood3 flood4");
}

TEST(FairQueue, NamesShareWhatTheirPrincipalGets) {
  FairQueue queue({});
  for (const char* name : {"x", "y", "z"}) queue.Add(name, {"a", name}, Priority::kNormal, 1);
  for (const char* id : {"p", "q", "r"}) queue.Add(id, {"b", ""}, Priority::kNormal, 1);
  EXPECT_EQ(Drain(queue), "x p y q z r");
}

TEST(FairQueue, PrioritiesOrderTheJobsOfOne) {
  FairQueue queue({});
  queue.Add("low", {"a", ""}, Priority::kLow, 1);
  queue.Add("normal", {"a", ""}, Priority::kNormal, 1);
  queue.Add("high", {"a", ""}, Priority::kHigh, 1);
  EXPECT_EQ(queue.Ahead("low"), 2U);
  EXPECT_EQ(Drain(queue), "high normal low");
}

TEST(FairQueue, LimitsOfOneAndOfAll) {
  FairQueue queue({3, 2, 100});
  queue.Add("1", {"a", ""}, Priority::kNormal, 10);
  EXPECT_TRUE(queue.HasRoom({"a", "other"}, 10));
  queue.Add("2", {"a", "other"}, Priority::kNormal, 10);
  EXPECT_FALSE(queue.HasRoom({"a", ""}, 10));
  EXPECT_TRUE(queue.HasRoom({"b", ""}, 80));
  EXPECT_FALSE(queue.HasRoom({"b", ""}, 81));
  queue.Add("3", {"b", ""}, Priority::kNormal, 80);
  EXPECT_FALSE(queue.HasRoom({"c", ""}, 0));
  EXPECT_TRUE(queue.Remove("3"));
  EXPECT_FALSE(queue.Remove("3"));
  EXPECT_TRUE(queue.HasRoom({"c", ""}, 80));
  EXPECT_EQ(Drain(queue), "1 2");
  EXPECT_TRUE(queue.HasRoom({"a", ""}, 100));
}

TEST(Metrics, TextFormat) {
  Metrics m;
  m.Counter("c_total", "Counted");
  m.Histogram("h", "Took", {0.5, 1});
  m.Gauge("g", "Now", [] { return 7.0; });
  m.Count("c_total", {{"verdict", "a\"b\\\n"}}, 2);
  for (double v : {0.25, 0.5, 0.75, 3.0}) m.Observe("h", v);
  EXPECT_EQ(m.Value("c_total", {{"verdict", "a\"b\\\n"}}), 2);
  EXPECT_EQ(m.Text(),
            "# HELP c_total Counted\n# TYPE c_total counter\nc_total{verdict=\"a\\\"b\\\\\\n\"} 2\n"
            "# HELP g Now\n# TYPE g gauge\ng 7\n"
            "# HELP h Took\n# TYPE h histogram\nh_bucket{le=\"0.5\"} 2\nh_bucket{le=\"1\"} "
            "3\nh_bucket{le=\"+Inf\"} 4\n"
            "h_sum 4.5\nh_count 4\n");
}
}  // namespace
}  // namespace akgen::serve
