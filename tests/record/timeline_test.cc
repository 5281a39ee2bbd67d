// A timeline as a message.
#include "record/timeline.h"

#include <gtest/gtest.h>

namespace akgen::record {
namespace {
base::Json Modelled() {
  Timeline t;
  t.pipes = {"S", "V", "other cores"};
  t.names = {"Add", "wait flag"};
  t.cores = 2, t.cube = 1, t.vector = 2;
  t.spans = {{0.5, 1.25, 0, 1, 0, false, 0, 1}, {1.25, 2, 1, 1, 2, true, 1, 0}};
  return {{"us", 3.0},
          {"sites", {{{"file", ""}, {"line", 0}}, {{"file", "k.cpp"}, {"line", 7}}}},
          {"spans", ToJson(t)}};
}

TEST(TimelineMessage, ComesBackAsItWas) {
  const Timeline t = TimelineFromJson(Modelled());
  ASSERT_EQ(t.spans.size(), 2u);
  EXPECT_EQ(t.spans[0], (TimeSpan{0.5, 1.25, 0, 1, 0, false, 0, 1}));
  EXPECT_EQ(t.spans[1], (TimeSpan{1.25, 2, 1, 1, 2, true, 1, 0}));
  EXPECT_EQ(t.sites[1].line, 7);
  EXPECT_TRUE(t.OnCube(0));
  EXPECT_FALSE(t.OnCube(1));
  EXPECT_DOUBLE_EQ(t.EndUs(), 2);
  EXPECT_TRUE(TimelineFromJson({{"us", 3.0}}).spans.empty());
}

TEST(TimelineMessage, WhatCannotBeIsRefused) {
  auto broken = [](const char* key, base::Json value) {
    base::Json j = Modelled();
    (j["spans"].contains(key) ? j["spans"] : j["spans"]["columns"])[key] = std::move(value);
    EXPECT_THROW(TimelineFromJson(j), base::Json::exception) << key;
  };
  broken("count", 3);
  broken("count", 1u << 30);
  broken("pipes", base::Json::array({"S"}));
  broken("names", base::Json::array());
  broken("cube", 1000);
  broken("begin", "????");
  broken("site", "AAAA");
}
}  // namespace
}  // namespace akgen::record
