// Single instructions at their edges, as the ISA manual defines them.
#include <cmath>

#include "programs.h"

namespace akgen::guest {
namespace {

constexpr uint64_t kBoxed = ~uint64_t{0xffffffff};
uint64_t Single(float v) {
  uint32_t b;
  std::memcpy(&b, &v, 4);
  return b | kBoxed;
}

// Executes one word with a1, a2, fa1, fa2 set; returns a0 or fa0.
struct One {
  uint64_t a1 = 0, a2 = 0, fa1 = 0, fa2 = 0;
  uint64_t Run(uint32_t word, bool is_float) const {
    const uint64_t interpreted = Run(word, is_float, Engine::kInterpreter);
    EXPECT_EQ(Run(word, is_float, Engine::kTranslator), interpreted) << std::hex << word;
    return interpreted;
  }
  uint64_t Run(uint32_t word, bool is_float, Engine engine) const {
    Image image;
    image.code = {word, 0x00008067};  // ret
    Window window;
    Program program(image, engine, 0);
    Machine machine(program, window);
    machine.Begin(kCodeBase, std::vector<uint64_t>{0, a1, a2});
    machine.registers().SetFloat(11, fa1);
    machine.registers().SetFloat(12, fa2);
    EXPECT_EQ(machine.Run(100), Stop::kReturned) << std::hex << word;
    return is_float ? machine.registers().FloatArgument(0) : machine.registers().Argument(0);
  }
};
// rd = 10, rs1 = 11, rs2 = 12.
uint32_t R(uint32_t funct7, uint32_t funct3, uint32_t opcode, uint32_t rs2 = 12) {
  return funct7 << 25 | rs2 << 20 | 11 << 15 | funct3 << 12 | 10 << 7 | opcode;
}

TEST(Instructions, DivisionByZeroIsAFaultThatCanBePassedAndOverflowWraps) {
  const uint64_t least = uint64_t{1} << 63;
  for (int i = 0; i < 16; ++i) {
    const uint32_t opcode = i & 1 ? 0x33 : 0x3b, funct3 = 4 + uint32_t(i >> 1 & 3);
    Image image;
    image.code = {R(1, funct3, opcode), 0x00008067};  // ret
    Window window;
    Program program(image, kEngines[i >> 3], 0);
    Machine machine(program, window);
    // 32-bit divisions look at the lower half only.
    machine.Begin(kCodeBase, std::vector<uint64_t>{0, 5, opcode == 0x3b ? uint64_t{1} << 32 : 0});
    EXPECT_EQ(machine.Run(10), Stop::kFault);
    EXPECT_EQ(machine.fault().kind, Fault::Kind::kDivision);
    machine.PassDivision();
    EXPECT_EQ(machine.Run(10), Stop::kReturned);
    EXPECT_EQ(machine.fault().kind, Fault::Kind::kNone);
    EXPECT_EQ(machine.registers().Argument(0), 0u);
  }
  EXPECT_EQ((One{least, ~uint64_t{0}}.Run(R(1, 4, 0x33), false)), least);
  EXPECT_EQ((One{least, ~uint64_t{0}}.Run(R(1, 6, 0x33), false)), 0u);
  EXPECT_EQ((One{0x80000000, ~uint64_t{0}}.Run(R(1, 4, 0x3b), false)), 0xffffffff80000000u);
}

TEST(Instructions, ShiftsAndWords) {
  EXPECT_EQ((One{~uint64_t{0}, 65}.Run(R(0, 5, 0x33), false)), ~uint64_t{0} >> 1);
  EXPECT_EQ((One{uint64_t{1} << 63, 63}.Run(R(0x20, 5, 0x33), false)), ~uint64_t{0});
  EXPECT_EQ((One{0x7fffffff, 1}.Run(R(0, 0, 0x3b), false)), 0xffffffff80000000u);
  EXPECT_EQ((One{0x80000000, 31}.Run(R(0x20, 5, 0x3b), false)), ~uint64_t{0});
  EXPECT_EQ((One{~uint64_t{0}, ~uint64_t{0}}.Run(R(1, 3, 0x33), false)),
            ~uint64_t{0} - 1);                                                           // MULHU
  EXPECT_EQ((One{~uint64_t{0}, ~uint64_t{0}}.Run(R(1, 2, 0x33), false)), ~uint64_t{0});  // MULHSU
}

TEST(Instructions, RegisterZeroStaysZero) {
  for (Engine engine : kEngines) {
    Image image;
    image.code = {0x00500013, 0x00000513, 0x00008067};  // addi x0, x0, 5; addi a0, x0, 0; ret
    Window window;
    Program program(image, engine, 0);
    Machine machine(program, window);
    machine.Begin(kCodeBase, std::vector<uint64_t>{9});
    EXPECT_EQ(machine.Run(10), Stop::kReturned);
    EXPECT_EQ(machine.registers().Argument(0), 0u);
  }
}

TEST(Instructions, FloatToIntegerStopsAtTheEnds) {
  auto convert = [](float v, uint32_t to, uint32_t mode) {
    One one;
    one.fa1 = Single(v);
    return one.Run(R(0x60, mode, 0x53, to), false);
  };
  EXPECT_EQ(convert(3e9f, 0, 1), 0x7fffffffu);
  EXPECT_EQ(convert(-3e9f, 0, 1), 0xffffffff80000000u);
  EXPECT_EQ(convert(NAN, 0, 1), 0x7fffffffu);
  EXPECT_EQ(convert(-1, 1, 1), 0u);
  EXPECT_EQ(convert(4e9f, 1, 1), 0xffffffffee6b2800u);
  EXPECT_EQ(convert(1e20f, 2, 1), 0x7fffffffffffffffu);
  EXPECT_EQ(convert(1e20f, 3, 1), ~uint64_t{0});
  EXPECT_EQ(convert(2.5f, 0, 0), 2u);
  EXPECT_EQ(convert(2.5f, 0, 4), 3u);
  EXPECT_EQ(convert(-2.5f, 0, 2), uint64_t(-3));
  EXPECT_EQ(convert(-2.5f, 0, 3), uint64_t(-2));
  EXPECT_EQ(convert(3.5f, 0, 7), 4u);
}

TEST(Instructions, NanIsOneNanAndBoxesAreLookedAt) {
  One zero;
  zero.fa1 = zero.fa2 = Single(0);
  EXPECT_EQ(zero.Run(R(0x0c, 7, 0x53), true), 0xffffffff7fc00000u);  // 0 / 0
  One unboxed;
  unboxed.fa1 = 0x3f800000;  // 1.0f without its box: a NaN
  unboxed.fa2 = Single(1);
  EXPECT_EQ(unboxed.Run(R(0x00, 7, 0x53), true), 0xffffffff7fc00000u);
  One least;
  least.fa1 = Single(-0.0f);
  least.fa2 = Single(0.0f);
  EXPECT_EQ(least.Run(R(0x14, 0, 0x53), true), Single(-0.0f));
  EXPECT_EQ(least.Run(R(0x14, 1, 0x53), true), Single(0.0f));
}

// A NaN gives way to a number on either side, of zeros the signs decide, in each width.
TEST(Instructions, LeastAndMost) {
  struct Width {
    uint32_t format;  // of funct7
    uint64_t (*of)(float);
    uint64_t nan;
  };
  const Width widths[] = {{0, Single, 0xffffffff7fc00000},
                          {1, [](float v) { return Bits(double(v)); }, 0x7ff8000000000000}};
  const float rows[][4] = {{1, 2, 1, 2},   {2, 1, 1, 2},         {NAN, 3, 3, 3},
                           {3, NAN, 3, 3}, {-0.0f, 0, -0.0f, 0}, {0, -0.0f, -0.0f, 0},
                           {-1, 1, -1, 1}, {5, 5, 5, 5}};
  for (const Width& w : widths) {
    for (const auto& [a, b, least, most] : rows) {
      One one;
      one.fa1 = std::isnan(a) ? w.nan : w.of(a), one.fa2 = std::isnan(b) ? w.nan : w.of(b);
      EXPECT_EQ(one.Run(R(0x14 | w.format, 0, 0x53), true), w.of(least)) << a << " " << b;
      EXPECT_EQ(one.Run(R(0x14 | w.format, 1, 0x53), true), w.of(most)) << a << " " << b;
    }
    One both;
    both.fa1 = both.fa2 = w.nan;
    EXPECT_EQ(both.Run(R(0x14 | w.format, 0, 0x53), true), w.nan);
    EXPECT_EQ(both.Run(R(0x14 | w.format, 1, 0x53), true), w.nan);
  }
}

TEST(Instructions, HalfRoundsOnce) {
  One one;
  one.fa1 = Bits(1.0 + 0x1p-11 + 0x1p-40);  // just above a tie in half; the tie itself in float
  EXPECT_EQ(one.Run(R(0x22, 7, 0x53, 1), true), ~uint64_t{0xffff} | 0x3c01);
  one.fa1 = ~uint64_t{0xffff} | 0x7bff;
  EXPECT_EQ(one.Run(R(0x20, 7, 0x53, 2), true), Single(65504));
}

TEST(Instructions, OnlyNearestEvenRounds) {
  Image image;
  for (Engine engine : kEngines) {
    image.code = {R(0x00, 1, 0x53), 0x00008067};  // FADD.S towards zero
    Window window;
    Program program(image, engine, 0);
    Machine machine(program, window);
    machine.Begin(kCodeBase, {});
    EXPECT_EQ(machine.Run(10), Stop::kFault);
    EXPECT_EQ(machine.fault().kind, Fault::Kind::kInstruction);
  }
}

}  // namespace
}  // namespace akgen::guest
