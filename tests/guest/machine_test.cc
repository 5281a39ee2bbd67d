// Right programs give the results that this machine's own code gives.
#include "programs.h"

namespace akgen::guest {
namespace {

namespace native {
#include "programs/compute.cc"  // its functions, compiled for this machine
extern "C" unsigned long outside_twice(unsigned long value) { return value * 2; }
extern "C" double outside_half(double value) { return value / 2; }
}  // namespace native

class Compute : public testing::TestWithParam<How> {
 protected:
  Guest guest{"compute", GetParam()};
};
INSTANTIATE_TEST_SUITE_P(AllWays, Compute, kAllWays);

TEST_P(Compute, LoopsAndArrays) {
  for (uint64_t rounds : {0, 1, 7, 1000}) {
    ASSERT_EQ(guest.Call("Scramble", {rounds}), Stop::kReturned);
    EXPECT_EQ(guest.result(), native::Scramble(rounds));
  }
}

TEST_P(Compute, VariablesStartAfreshAndInitialisersAreKnown) {
  ASSERT_EQ(guest.image.initialisers.size(), 1u);
  for (int turn = 0; turn < 2; ++turn) {
    guest.machine.Reset();
    guest.machine.Begin(guest.image.initialisers[0], {});
    ASSERT_EQ(guest.Run(), Stop::kReturned);
    guest.machine.KeepVariables();
    EXPECT_FALSE(guest.machine.ChangedVariable());
    guest.machine.Begin(guest.image.functions.at("Variables"), std::vector<uint64_t>{3});
    ASSERT_EQ(guest.Run(), Stop::kReturned);
    EXPECT_EQ(guest.result(), 77008007u);
    EXPECT_TRUE(guest.machine.ChangedVariable());
  }
}

TEST_P(Compute, MemoryStartsWithZeroWhateverWasThereBefore) {
  const uint64_t bottom = kVariablesBase - kStackBytes;
  auto at = [](Machine& machine, uint64_t address) { return machine.Write(address, 8); };
  const uint64_t places[] = {bottom, bottom + kStackBytes / 2, kVariablesBase - 40000,
                             kVariablesBase - 32768, kVariablesBase - 8};
  Program program(guest.image, GetParam().engine);
  for (int turn = 0; turn < 3; ++turn) {
    Machine first(program, guest.window), second(program, guest.window);
    for (int again = 0; again < 2; ++again) {
      for (uint64_t place : places) {
        uint64_t word = 1;
        std::memcpy(&word, at(first, place), 8);
        EXPECT_EQ(word, 0u) << turn << again << " " << kVariablesBase - place;
        std::memset(at(first, place), 7, 8);
        std::memcpy(&word, at(second, place), 8);
        EXPECT_EQ(word, 0u) << turn << again << " " << kVariablesBase - place;
      }
      first.Reset();
    }
    for (uint64_t place : places) std::memset(at(second, place), 9, 8);
  }
}

TEST_P(Compute, ArgumentsOnTheStack) {
  ASSERT_EQ(guest.Call("ManyArguments", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), Stop::kReturned);
  EXPECT_EQ(guest.result(), 385u);
}

TEST_P(Compute, Divisions) {
  const int64_t values[] = {
      1, -1, 7, -7, 1000003, -1000003, int64_t{1} << 40, -(int64_t{1} << 40) - 5};
  for (int64_t a : values)
    for (int64_t b : values) {
      if (int(b) == 0) continue;
      ASSERT_EQ(guest.Call("Divisions", {uint64_t(a), uint64_t(b)}), Stop::kReturned);
      EXPECT_EQ(guest.result(), native::Divisions(a, b)) << a << " " << b;
    }
}

TEST_P(Compute, FloatsAsTheHostComputesThem) {
  for (double x : {0.0, 1.5, 3.999, 4.0, 1e10})
    for (float y : {0.5f, 3.7f, 1e6f}) {
      guest.Begin("Floats", {9});
      uint32_t single;
      std::memcpy(&single, &y, 4);
      guest.machine.registers().SetFloat(10, Bits(x));
      guest.machine.registers().SetFloat(11, single | ~uint64_t{0xffffffff});
      ASSERT_EQ(guest.Run(), Stop::kReturned);
      EXPECT_EQ(guest.result(), native::Floats(x, y, 9)) << x << " " << y;
    }
}

TEST_P(Compute, CallsGoOutsideAndComeBack) {
  ASSERT_EQ(guest.Call("Calls", {20}), Stop::kReturned);
  EXPECT_EQ(guest.result(), 82u);
  EXPECT_EQ(guest.calls, (std::vector<std::string>{"outside_twice", "outside_twice"}));
  guest.Begin("CallsFloat", {});
  guest.machine.registers().SetFloat(10, Bits(3.0));
  ASSERT_EQ(guest.Run(), Stop::kReturned);
  EXPECT_EQ(guest.result(), 12u);
}

TEST_P(Compute, OutsideMemoryIsAskedForByAccess) {
  guest.window.bytes[0] = 40;
  guest.window.bytes[8] = 2;
  ASSERT_EQ(guest.Call("ReadsWindow", {Window::kBase, Window::kBase + 16}), Stop::kReturned);
  EXPECT_EQ(guest.result(), 42u);
  EXPECT_EQ(guest.window.bytes[16], 42);
  EXPECT_GE(guest.window.asked, 3);
}

TEST_P(Compute, CallersAreNamedByFramePointers) {
  guest.Begin("Depth", {3});
  ASSERT_EQ(guest.machine.Run(1 << 20), Stop::kCall);
  uint64_t frames[8];
  const size_t n = guest.machine.Frames(frames);
  if (GetParam().level == 0) {
    ASSERT_EQ(n, 4u);  // three calls of Depth by itself, and the one outside
    const uint64_t start = guest.image.functions.at("Depth");
    for (size_t i = 0; i < n; ++i) EXPECT_LT(frames[i] - start, 256u);
  }
}

TEST_P(Compute, Atomics) {
  for (uint64_t v : {0, 3, 16, 1 << 20}) {
    ASSERT_EQ(guest.Call("Atomics", {v}), Stop::kReturned);
    EXPECT_EQ(guest.result(), native::Atomics(v));
  }
}

TEST_P(Compute, PointersToFunctions) {
  for (uint64_t v : {4, 5}) {
    ASSERT_EQ(guest.Call("Pointers", {v}), Stop::kReturned);
    EXPECT_EQ(guest.result(), v % 2 ? v * 2 : v + 1);
  }
}

// The number of instructions is the same on every run, and does not depend on how the run is cut
// into pieces.
TEST_P(Compute, CountsAreDeterministic) {
  ASSERT_EQ(guest.Call("Scramble", {500}), Stop::kReturned);
  const uint64_t whole = guest.machine.executed(), value = guest.result();
  EXPECT_GT(whole, 500u * 8);
  for (int64_t piece : {1, 7, 100, 4096}) {
    guest.Begin("Scramble", {500});
    uint64_t pieces = 0;
    Stop stop;
    while ((stop = guest.machine.Run(piece)) == Stop::kFuel) ++pieces;
    EXPECT_EQ(stop, Stop::kReturned);
    EXPECT_GT(pieces, 0u);
    EXPECT_EQ(guest.machine.executed(), whole);
    EXPECT_EQ(guest.result(), value);
  }
}

}  // namespace
}  // namespace akgen::guest
