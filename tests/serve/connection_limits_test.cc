#include "serve/connection_limits.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace akgen::serve {
namespace {

Session* S(int n) {
  return reinterpret_cast<Session*>(static_cast<intptr_t>(n));
}  // a name, never looked into
using Closed = std::vector<Session*>;

TEST(ConnectionLimits, OfSilentOnesTheNewestOfAnAddressStay) {
  ConnectionLimits limits({.known = 2, .silent = 8, .silent_of_one = 2});
  EXPECT_EQ(limits.Enter(S(1), "a"), Closed());
  EXPECT_EQ(limits.Enter(S(2), "a"), Closed());
  EXPECT_EQ(limits.Enter(S(3), "b"), Closed());
  EXPECT_EQ(limits.Enter(S(4), "a"), Closed{S(1)});
  EXPECT_EQ(limits.Enter(S(5), "a"), Closed{S(2)});
  EXPECT_EQ(limits.silent(), 3u);
  EXPECT_TRUE(limits.Ask(S(3)).admitted) << "another address lost nothing";
}

TEST(ConnectionLimits, OfAllTheAddressWithMostLosesItsOldest) {
  ConnectionLimits limits({.known = 2, .silent = 3, .silent_of_one = 3});
  limits.Enter(S(1), "few"), limits.Enter(S(2), "many"), limits.Enter(S(3), "many");
  EXPECT_EQ(limits.Enter(S(4), "new"), Closed{S(2)});
  EXPECT_EQ(limits.silent(), 3u);
}

TEST(ConnectionLimits, WhatAsksIsCountedApart) {
  ConnectionLimits limits({.known = 2, .silent = 2, .silent_of_one = 2});
  for (int i = 1; i <= 2; ++i) {
    limits.Enter(S(i), "a");
    EXPECT_TRUE(limits.Ask(S(i)).admitted);
    EXPECT_TRUE(limits.Ask(S(i)).admitted) << "its next request";
  }
  EXPECT_EQ(limits.silent(), 0u);
  EXPECT_EQ(limits.known(), 2u);
  limits.Enter(S(3), "a");
  EXPECT_FALSE(limits.Ask(S(3)).admitted);
  limits.Leave(S(1));
  EXPECT_TRUE(limits.Ask(S(3)).admitted);
}

TEST(ConnectionLimits, OneThatRestsMakesRoom) {
  ConnectionLimits limits({.known = 2, .silent = 4, .silent_of_one = 4});
  for (int i = 1; i <= 3; ++i) limits.Enter(S(i), "a");
  limits.Ask(S(1)), limits.Ask(S(2));
  limits.Rest(S(2)), limits.Rest(S(1));
  const auto first = limits.Ask(S(3));
  EXPECT_EQ((std::pair{first.admitted, first.close}), (std::pair{true, S(2)}))
      << "it rests longest";
  limits.Ask(S(1));  // it rests no more
  limits.Enter(S(4), "a");
  EXPECT_FALSE(limits.Ask(S(4)).admitted);
  EXPECT_EQ(limits.known(), 2u);
}

TEST(ConnectionLimits, LeavingTwiceAndStrangersAreNothing) {
  ConnectionLimits limits({});
  EXPECT_EQ(limits.OldestSilent(), nullptr);
  limits.Enter(S(1), "a"), limits.Enter(S(2), "b"), limits.Enter(S(3), "b");
  EXPECT_EQ(limits.OldestSilent(), S(2));
  limits.Leave(S(2)), limits.Leave(S(9));
  limits.Rest(S(3)), limits.Rest(S(9));
  limits.Leave(S(1)), limits.Leave(S(3));
  limits.EnterKnown(S(5));
  EXPECT_EQ(limits.silent() * 10 + limits.known(), 1u);
  limits.Leave(S(5)), limits.Leave(S(5));
  EXPECT_EQ(limits.known(), 0u);
}

}  // namespace
}  // namespace akgen::serve
