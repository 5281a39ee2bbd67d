#include "serve/recent.h"

#include <gtest/gtest.h>

namespace akgen::serve {
namespace {
// Three places. "a" puts a value, "?a" looks for it; what is held at the end.
struct Row {
  std::vector<std::string> acts;
  std::string held;
};

TEST(Recent, WhatWasUsedLongestAgoGoes) {
  const Row rows[] = {
      {{"a", "b", "c"}, "abc"},
      {{"a", "b", "c", "d"}, "bcd"},
      {{"a", "b", "c", "?a", "d"}, "acd"},             // found is used
      {{"a", "b", "c", "?a", "?b", "d", "e"}, "bde"},  // in the order of use
      {{"a", "b", "c", "a", "d"}, "acd"},  // put again is used, and takes no second place
      {{"a", "a", "a", "b", "c"}, "abc"},
      {{"a", "b", "c", "?x", "d"}, "bcd"},  // looked for in vain
  };
  for (const Row& row : rows) {
    Recent<int> recent(3);
    std::string said, held;
    for (const std::string& act : row.acts) {
      said += act + " ";
      if (act[0] == '?')
        recent.Find(act.substr(1));
      else
        recent.Put(act, std::make_shared<int>(act[0]));
    }
    for (const char* key : {"a", "b", "c", "d", "e"})
      if (auto value = recent.Find(key)) held += char(*value);
    EXPECT_EQ(held, row.held) << said;
  }
}

TEST(Recent, AHolderKeepsItsValue) {
  Recent<int> recent(1);
  recent.Put("a", std::make_shared<int>(1));
  auto held = recent.Find("a");
  recent.Put("a", std::make_shared<int>(2));
  EXPECT_EQ(*recent.Find("a"), 2);
  recent.Put("b", std::make_shared<int>(3));
  EXPECT_EQ(recent.Find("a"), nullptr);
  EXPECT_EQ(*held, 1);
}
}  // namespace
}  // namespace akgen::serve
