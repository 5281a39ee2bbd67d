#include <gtest/gtest.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include "kernel_side.h"

namespace {
using Ints = std::vector<int64_t>;
using Texts = std::vector<std::string>;

class KernelHeaders : public testing::Test {
 protected:
  void SetUp() override { ResetChip(); }
  alignas(64) uint8_t gm_[8192] = {};
};

TEST_F(KernelHeaders, CopiesCountInBytes) {
  RunPlainCopies(gm_);
  const auto& c = Chip().copies;
  ASSERT_EQ(c.size(), 5u);
  EXPECT_EQ(c[0].kind, AKGEN_GM_TO_UB);
  EXPECT_EQ(c[0].dtype, AKGEN_F16);
  EXPECT_EQ(c[0].block_count, 1);
  EXPECT_EQ(c[0].block_len, 96u);
  EXPECT_EQ(c[0].src, gm_ + 32);
  EXPECT_EQ(c[1].block_count, 3);
  EXPECT_EQ(c[1].block_len, 64u);
  EXPECT_EQ(c[1].src_stride, 32);
  EXPECT_EQ(c[1].dst_stride, 128);
  EXPECT_EQ(c[1].dst, FakeUb() + 64);
  EXPECT_EQ(c[2].kind, AKGEN_UB_TO_GM);
  EXPECT_EQ(c[2].dst, gm_);
  EXPECT_EQ(c[3].kind, AKGEN_UB_TO_UB);
  EXPECT_EQ(c[4].block_len, 64u) << "two int4 elements share a byte";
  EXPECT_EQ(c[4].is_pad_api, 0);
  ASSERT_EQ(Chip().calls.size(), 1u) << "a relu on the way is not a copy of a vector core";
  EXPECT_EQ(Chip().calls[0].rfind("unsupported DataCopy", 0), 0u);
}

TEST_F(KernelHeaders, PadStridesAreBytesInGmAndDataBlocksInUb) {
  RunPadCopies(gm_);
  const auto& c = Chip().copies;
  ASSERT_EQ(c.size(), 4u);
  for (int i : {0, 2}) {
    EXPECT_EQ(c[i].src_stride, 7);
    EXPECT_EQ(c[i].dst_stride, 96);
  }
  for (int i : {1, 3}) {
    EXPECT_EQ(c[i].src_stride, 224);
    EXPECT_EQ(c[i].dst_stride, 3);
  }
  for (const auto& copy : c) {
    EXPECT_EQ(copy.is_pad_api, 1);
    EXPECT_EQ(copy.block_len, 20u);
  }
  EXPECT_EQ(c[0].is_pad, 1);
  EXPECT_EQ(c[0].left_pad, 1);
  EXPECT_EQ(c[0].right_pad, 2);
  EXPECT_EQ(c[0].pad_value, 0x3c00u) << "one, as half";
  EXPECT_EQ(c[2].is_pad, 0);
  EXPECT_EQ(c[2].pad_value, 5u);
}

TEST_F(KernelHeaders, SlicesFollowTheDocumentedExample) {
  std::vector<float> source(3 * 87);
  RunSlices(source.data());
  std::vector<std::pair<int64_t, int64_t>> offsets;
  for (const auto& c : Chip().copies) {
    EXPECT_EQ(c.block_len, 96u);
    offsets.emplace_back(static_cast<const float*>(c.src) - source.data(),
                         static_cast<float*>(c.dst) - reinterpret_cast<float*>(FakeUb()));
  }
  const std::vector<std::pair<int64_t, int64_t>> expected = {
      {16, 0}, {47, 24}, {190, 48}, {221, 72}};
  EXPECT_EQ(offsets, expected);
}

TEST_F(KernelHeaders, ExpressionsRunWhenAssigned) {
  RunExpressions();
  const auto& v = Chip().vectors;
  ASSERT_EQ(v.size(), 2u);
  EXPECT_EQ(v[0].op, AKGEN_OP_Sub);
  EXPECT_EQ(v[0].count, 32u) << "as many elements as the destination has";
  EXPECT_EQ(v[0].dst, FakeUb() + 512);
  EXPECT_EQ(v[0].src0, FakeUb());
  EXPECT_EQ(v[0].src1, FakeUb() + 256);
  EXPECT_EQ(v[1].op, AKGEN_OP_Compare);
  EXPECT_EQ(v[1].mode, 4) << "GE";
  EXPECT_EQ(v[1].dst_type, AKGEN_U8);
  EXPECT_EQ(v[1].src_type, AKGEN_F32);
  EXPECT_EQ(v[1].count, 256u) << "one bit per element";
}

TEST_F(KernelHeaders, QueuesNamePositionsAndBuffers) {
  RunQueue();
  const Texts expected = {"tpipe",
                          "que 0>9 depth 2 2x100",
                          "que 9>10 depth 1 1x64",
                          "buf 11 40",
                          "alloc 1",
                          "enque 1 ub+64",
                          "deque 1",
                          "free 1 ub+64",
                          "~tpipe"};
  EXPECT_EQ(Chip().calls, expected);
}

TEST_F(KernelHeaders, InitOutputFillsInPieces) {
  RunInitOutput(gm_, 5000);
  const auto& told = Chip();
  ASSERT_EQ(told.vectors.size(), 2u);
  EXPECT_EQ(told.vectors[0].op, AKGEN_OP_Duplicate);
  EXPECT_EQ(told.vectors[0].scalar, 0x3f800000u);
  EXPECT_EQ(told.vectors[0].count, 8160u / 4);
  EXPECT_EQ(told.vectors[1].scalar, 0xffffffffu) << "bytes are filled as words";
  ASSERT_EQ(told.copies.size(), 4u);
  uint32_t bytes = 0;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(told.copies[i].dst, gm_ + bytes);
    bytes += told.copies[i].block_len;
  }
  EXPECT_EQ(bytes, 20000u);
  EXPECT_EQ(told.copies[3].block_len, 3u);
  EXPECT_EQ(told.calls[0], "set 1>5 5");
  EXPECT_EQ(told.calls[1], "wait 1>5 5");
}

TEST_F(KernelHeaders, Masks) {
  RunMasks();
  const std::string full = std::to_string(UINT64_MAX);
  const Texts expected = {"mask " + std::to_string((1ULL << 36) - 1) + " " + full, "mask 0 " + full,
                          "mask 0 7", "mask 0 1000", "mask " + full + " " + full};
  EXPECT_EQ(Chip().calls, expected);
}

TEST_F(KernelHeaders, Atomics) {
  RunAtomics();
  EXPECT_EQ(Chip().calls, (Texts{"atomic 1 1", "atomic 4 0", "atomic 0 255"}));
}

TEST_F(KernelHeaders, TensorViews) {
  EXPECT_EQ(TensorShapes(), (Ints{128, 112, 64, 512, 64 + 32, 64 + 4, 64 + 16}));
}

TEST_F(KernelHeaders, ElementsAreLoadsAndStores) {
  EXPECT_EQ(ElementAccess(gm_), (Ints{7, 7, 7, 6, -3, -9}));
  int reads = 0, writes = 0;
  for (const auto& call : Chip().calls) (call[0] == 'r' ? reads : writes) += 1;
  EXPECT_EQ(reads, 8) << "two inside += and the copied element, six results";
  EXPECT_EQ(writes, 7);
}

TEST_F(KernelHeaders, TensorListDescriptor) {
  // Two tensors of shapes {2,3} and {4,5}: table offset, then index/dims and sizes, then addresses.
  uint64_t words[] = {7 * 8, (2ULL << 32) | 2, 2, 3, (1ULL << 32) | 2, 4, 5, 0x1000, 0x2000};
  EXPECT_EQ(ListTensor(words), (Ints{2, 2, 4, 5, 20, 0x2000}));
}

TEST_F(KernelHeaders, TilingBlock) {
  uint32_t block[8] = {};
  block[0] = 11;
  block[4] = 22;  // pair[1]
  block[7] = 33;  // inner.b
  EXPECT_EQ(Tiling(reinterpret_cast<uint8_t*>(block), 7), (Ints{11, 33, 22, 33, 33, 1, 1, 0}));
  EXPECT_EQ(Chip().calls[0], "read 32 0");
  EXPECT_EQ(Chip().calls[1], "read 8 0");
}

TEST_F(KernelHeaders, PrintfAgreesWithTheCLibrary) {
  RunPrintf();
  char line[400];
  Texts expected;
  std::snprintf(line, sizeof(line), "%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%#x|%lld", -7, 42, 42, 42, 42,
                4000000000u, 255, 255, 255, -5000000000LL);
  expected.push_back(line);
  std::snprintf(line, sizeof(line), "%u|%lu|%c|%s|%8s|%-8s|%.2s|%%", static_cast<unsigned>(-1),
                static_cast<unsigned long>(-1), 'z', "text", "right", "left", "cut");
  expected.push_back(line);
  std::snprintf(line, sizeof(line), "%f|%.2f|%8.3f|%.0f|%e|%g|%g|%g", 3.14159265, 2.5, -1.5, 7.6,
                12345.678, 0.0001, 1e20, 100000.0);
  expected.push_back(line);
  std::snprintf(line, sizeof(line), "%f|%f|%5.1f|%.1f|%.0f|%.0f|%.1e|%.3f", 0.5, HUGE_VAL, 2.0,
                0.25, 2.5, 0.999, 9.96, 0.0006);
  expected.push_back(line);
  std::snprintf(line, sizeof(line), "0x1234|%*d", 6, 9);
  expected.push_back(line);
  EXPECT_EQ(Chip().calls, expected);
}

TEST_F(KernelHeaders, AssertSpeaksOnlyWhenFalse) {
  RunAssert(1);
  EXPECT_TRUE(Chip().calls.empty());
  RunAssert(2);
  EXPECT_EQ(Chip().calls, (Texts{"assert value == 1: value 2"}));
}

TEST(KernelScalars, RoundsEveryWay) {
  enum { kRint = 1, kFloor = 2, kCeil = 3, kRound = 4, kTrunc = 5 };
  for (float x :
       {-2.5f, -1.5f, -1.2f, -0.5f, 0.0f, 0.4f, 0.5f, 1.5f, 2.5f, 2.6f, 16777215.0f, -3.0f}) {
    EXPECT_EQ(Round(x, kRint), std::nearbyint(x)) << x;
    EXPECT_EQ(Round(x, kFloor), std::floor(x)) << x;
    EXPECT_EQ(Round(x, kCeil), std::ceil(x)) << x;
    EXPECT_EQ(Round(x, kRound), std::round(x)) << x;
    EXPECT_EQ(Round(x, kTrunc), std::trunc(x)) << x;
  }
  EXPECT_EQ(Round(NAN, kRint), 0);
  EXPECT_EQ(Round(INFINITY, kRint), INT64_MAX);
  EXPECT_EQ(RoundOddBits(1.0f), 0x3c00);
  EXPECT_EQ(RoundOddBits(std::nextafter(1.0f, 2.0f)), 0x3c01);
  EXPECT_EQ(RoundOddBits(std::nextafter(1.0f, 0.0f)), 0x3bff);
  EXPECT_EQ(RoundOddBits(-std::nextafter(1.0f, 2.0f)), 0xbc01);
  EXPECT_EQ(SquareRoot(2.25f), 1.5f);
}

TEST(KernelScalars, BitCounts) {
  EXPECT_EQ(Bits(0b10100), (Ints{2, 62, 59, 2, 0, 58}));
  EXPECT_EQ(Bits(0), (Ints{0, 64, 64, -1, 0, -1}));
  EXPECT_EQ(Bits(UINT64_MAX), (Ints{64, 0, 0, 0, -1, -1}));
}

// Half and bfloat16 against the definition of their values, at every number and around every
// midpoint.
float Value(uint16_t bits, int mantissa, int exponent) {
  const int bias = (1 << (exponent - 1)) - 1, e = (bits >> mantissa) & ((1 << exponent) - 1);
  const int m = bits & ((1 << mantissa) - 1);
  const float sign = (bits & 0x8000) ? -1.0f : 1.0f;
  if (e == (1 << exponent) - 1) return m ? NAN : sign * INFINITY;
  return sign * static_cast<float>(e == 0 ? std::ldexp(m, 1 - bias - mantissa)
                                          : std::ldexp(m + (1 << mantissa), e - bias - mantissa));
}
void CheckNarrow(int mantissa, int exponent, uint16_t (*narrow)(float),
                 uint16_t (*narrow_double)(double)) {
  const uint16_t inf = static_cast<uint16_t>(((1 << exponent) - 1) << mantissa);
  for (uint32_t bits = 0; bits < inf; ++bits) {
    const double here = Value(static_cast<uint16_t>(bits), mantissa, exponent);
    const double next = bits + 1 == inf
                            ? 2 * here - Value(static_cast<uint16_t>(bits - 1), mantissa, exponent)
                            : Value(static_cast<uint16_t>(bits + 1), mantissa, exponent);
    const double middle = (here + next) / 2;
    ASSERT_EQ(narrow(static_cast<float>(here)), bits);
    ASSERT_EQ(narrow(static_cast<float>(-here)), bits | 0x8000);
    ASSERT_EQ(narrow_double(middle), bits + (bits & 1)) << "a tie goes to even";
    ASSERT_EQ(narrow_double(std::nextafter(middle, 0.0)), bits);
    ASSERT_EQ(narrow_double(std::nextafter(middle, INFINITY)), bits + 1);
  }
  EXPECT_EQ(narrow(INFINITY), inf);
  EXPECT_GT(narrow(NAN) & 0x7fff, inf);
  EXPECT_EQ(narrow_double(1e300), inf);
  EXPECT_EQ(narrow_double(1e-300), 0);
}
TEST(KernelScalars, HalfConversionsAreExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float expected = Value(static_cast<uint16_t>(bits), 10, 5);
    const uint32_t got = HalfToFloatBits(static_cast<uint16_t>(bits));
    float value;
    std::memcpy(&value, &got, sizeof(value));
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(value));
    else
      ASSERT_EQ(std::memcmp(&value, &expected, sizeof(value)), 0) << bits;
  }
  CheckNarrow(10, 5, FloatToHalfBits, DoubleToHalfBits);
}
TEST(KernelScalars, BrainConversionsAreExact) {
  CheckNarrow(7, 8, FloatToBrainBits, DoubleToBrainBits);
}
}  // namespace
