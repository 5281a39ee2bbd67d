// Rows that move or order elements, with every dtype they have a body for, on random bits; the
// models here are plain loops over positions. Rows that calculate are run in half here where
// reduce_test.cc and rows_test.cc use float.
#include <gtest/gtest.h>

#include <algorithm>

#include "values.h"

namespace akgen::sim::test {
namespace {

constexpr uint8_t kEveryType[] = {AKGEN_F32, AKGEN_F16, AKGEN_BF16, AKGEN_I8,
                                  AKGEN_U8,  AKGEN_I16, AKGEN_U16,  AKGEN_I32,
                                  AKGEN_U32, AKGEN_I64, AKGEN_U64,  AKGEN_BOOL};
size_t Size(uint8_t type) {
  switch (type) {
    case AKGEN_I8:
    case AKGEN_U8:
    case AKGEN_BOOL: return 1;
    case AKGEN_F32:
    case AKGEN_I32:
    case AKGEN_U32: return 4;
    case AKGEN_I64:
    case AKGEN_U64: return 8;
  }
  return 2;
}

// Random bits from 0, destination at 64 KiB, offsets and masks at 32 KiB.
struct Bench : Core {
  static constexpr size_t kDst = 65536, kSide = 32768;
  Bench(uint32_t op, uint8_t type) : size(Size(type)) {
    std::mt19937 rng(op * 100 + type);
    for (size_t i = 0; i < kSide; ++i) ub[i] = uint8_t(rng());
    v = Instr(op, type, type, AKGEN_NO_DTYPE);
    v.form = AKGEN_FORM_WHOLE;
    v.src0 = At<void>(0), v.src1 = At<void>(kSide), v.dst = At<void>(kDst);
  }
  uint64_t Get(size_t base, size_t i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &ub[base + i * size], size);
    return bits;
  }
  AkgenVec v;
  size_t size;
};

template <class Test>
void ForEveryDtype(uint32_t op, Test test) {
  int tried = 0;
  for (uint8_t type : kEveryType) {
    AkgenVec v = Instr(op, type, type, AKGEN_U32);
    v.dst = &v;
    if (!FindOwn(v)) continue;
    ++tried;
    Bench bench(op, type);
    test(bench, type);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tried, 0) << VecOpName(op);
}

TEST(EveryDtype, Gather) {
  ForEveryDtype(AKGEN_OP_Gather, [](Bench& b, uint8_t) {
    b.v.src1_type = AKGEN_U32, b.v.form = AKGEN_FORM_COUNT, b.v.aux[0] = 4 * b.size;
    for (uint32_t i = 0; i < 200; ++i)
      b.At<uint32_t>(Bench::kSide)[i] = uint32_t((i * 37 % 500) * b.size);
    b.Count(200, uint32_t(b.size));
    RunOwn(b, b.v);
    for (size_t i = 0; i < 200; ++i) ASSERT_EQ(b.Get(Bench::kDst, i), b.Get(0, i * 37 % 500 + 4));
  });
}
TEST(EveryDtype, Scatter) {
  ForEveryDtype(AKGEN_OP_Scatter, [](Bench& b, uint8_t) {
    b.v.src1_type = AKGEN_U32, b.v.form = AKGEN_FORM_COUNT;
    for (uint32_t i = 0; i < 101; ++i)
      b.At<uint32_t>(Bench::kSide)[i] = uint32_t((i * 37 % 101) * b.size);
    b.Count(101, uint32_t(b.size));
    RunOwn(b, b.v);
    for (size_t i = 0; i < 101; ++i) ASSERT_EQ(b.Get(Bench::kDst, i * 37 % 101), b.Get(0, i));
  });
}
TEST(EveryDtype, Gatherb) {
  ForEveryDtype(AKGEN_OP_Gatherb, [](Bench& b, uint8_t) {
    b.v.src1_type = AKGEN_U32, b.v.repeat = 3, b.v.dst_blk = 1, b.v.dst_rep = 8;
    for (uint32_t i = 0; i < 24; ++i) b.At<uint32_t>(Bench::kSide)[i] = 32 * (i * 11 % 24);
    RunOwn(b, b.v);
    for (size_t i = 0; i < 24 * 32; ++i)
      ASSERT_EQ(b.ub[Bench::kDst + i], b.ub[i / 32 * 11 % 24 * 32 + i % 32]);
  });
}
TEST(EveryDtype, GatherMask) {
  ForEveryDtype(AKGEN_OP_GatherMask, [](Bench& b, uint8_t) {
    std::mt19937 rng(5);
    for (int i = 0; i < 256; ++i) b.ub[Bench::kSide + i] = uint8_t(rng());
    b.v.repeat = 2, b.v.src0_blk = 1, b.v.src0_rep = 8, b.v.src1_rep = 1;
    RunOwn(b, b.v);
    const size_t per = 256 / b.size;
    size_t kept = 0;
    for (size_t i = 0; i < 2 * per; ++i) {
      const size_t bit = i % per, at = Bench::kSide + i / per * 32 + bit / 8;
      if (b.ub[at] >> (bit % 8) & 1) ASSERT_EQ(b.Get(Bench::kDst, kept++), b.Get(0, i));
    }
    EXPECT_EQ(b.gather_count, kept);
  });
}
TEST(EveryDtype, Brcb) {
  ForEveryDtype(AKGEN_OP_Brcb, [](Bench& b, uint8_t) {
    b.v.repeat = 2, b.v.dst_blk = 1, b.v.dst_rep = 8;
    RunOwn(b, b.v);
    for (size_t i = 0; i < 16; ++i)
      for (size_t e = 0; e < 32 / b.size; ++e)
        ASSERT_EQ(b.Get(Bench::kDst, i * (32 / b.size) + e), b.Get(0, i));
  });
}
TEST(EveryDtype, Transpose) {
  ForEveryDtype(AKGEN_OP_Transpose, [](Bench& b, uint8_t) {
    b.v.repeat = 1;
    RunOwn(b, b.v);
    for (size_t i = 0; i < 256; ++i)
      ASSERT_EQ(b.Get(Bench::kDst, i), b.Get(0, i % 16 * 16 + i / 16));
  });
}
TEST(EveryDtype, TransDataTo5HD) {
  ForEveryDtype(AKGEN_OP_TransDataTo5HD, [](Bench& b, uint8_t) {
    uint64_t dst[16], src[16];
    for (size_t i = 0; i < 16; ++i) {
      src[i] = reinterpret_cast<uint64_t>(b.At<void>(i * 32));
      dst[i] = reinterpret_cast<uint64_t>(b.At<void>(Bench::kDst + i * 32));
    }
    b.v.aux[0] = reinterpret_cast<uint64_t>(dst), b.v.aux[1] = reinterpret_cast<uint64_t>(src),
    b.v.repeat = 1;
    RunOwn(b, b.v);
    // Element k of list i goes to place i of the k-th line; lines of 4-byte elements take two
    // DataBlocks.
    const size_t lines = b.size == 4 ? 8 : 16, line = b.size == 1 ? 32 : 16 * b.size;
    for (size_t k = 0; k < lines; ++k)
      for (size_t i = 0; i < 16; ++i) {
        uint64_t got = 0;
        std::memcpy(&got, &b.ub[Bench::kDst + k * line + i * b.size], b.size);
        uint64_t want = 0;
        std::memcpy(&want, &b.ub[i * 32 + k * b.size], b.size);
        ASSERT_EQ(got, want) << k << " " << i;
      }
  });
}
TEST(EveryDtype, BroadCast) {
  ForEveryDtype(AKGEN_OP_BroadCast, [](Bench& b, uint8_t) {
    b.v.aux[0] = 2, b.v.aux[1] = 1, b.v.aux[2] = 6 | 32ull << 32, b.v.aux[3] = 6 | 1ull << 32;
    RunOwn(b, b.v);
    for (size_t i = 0; i < 192; ++i) ASSERT_EQ(b.Get(Bench::kDst, i), b.Get(0, i / 32));
  });
}
TEST(EveryDtype, InterleaveAndBack) {
  for (uint32_t op : {AKGEN_OP_Interleave, AKGEN_OP_DeInterleave})
    ForEveryDtype(op, [op](Bench& b, uint8_t) {
      std::memcpy(&b.ub[Bench::kSide], &b.ub[4096], 4096);
      b.v.count = 100, b.v.aux[0] = reinterpret_cast<uint64_t>(b.At<void>(Bench::kDst + 8192));
      RunOwn(b, b.v);
      auto in = [&](size_t i) { return i < 100 ? b.Get(0, i) : b.Get(Bench::kSide, i - 100); };
      auto out = [&](size_t i) {
        return i < 100 ? b.Get(Bench::kDst, i) : b.Get(Bench::kDst + 8192, i - 100);
      };
      for (size_t i = 0; i < 200; ++i) {
        const size_t zipped = i, apart = i % 2 * 100 + i / 2;
        ASSERT_EQ(op == AKGEN_OP_Interleave ? out(zipped) : out(apart),
                  op == AKGEN_OP_Interleave ? in(apart) : in(zipped));
      }
    });
}
TEST(EveryDtype, CreateVecIndex) {
  ForEveryDtype(AKGEN_OP_CreateVecIndex, [](Bench& b, uint8_t type) {
    const bool real = type == AKGEN_F32 || type == AKGEN_F16;
    b.v.form = AKGEN_FORM_COUNT;
    b.v.scalar = type == AKGEN_F32   ? std::bit_cast<uint32_t>(-7.0f)
                 : type == AKGEN_F16 ? base::DoubleToHalf(-7)
                                     : uint64_t(-7);
    b.Count(150, uint32_t(b.size));
    RunOwn(b, b.v);
    const uint64_t all = b.size == 2 ? 0xffff : 0xffffffff;
    for (int i = 0; i < 150; ++i) {
      const uint64_t want = type == AKGEN_F32 ? std::bit_cast<uint32_t>(float(i - 7))
                            : real            ? base::DoubleToHalf(i - 7)
                                              : uint64_t(i - 7) & all;
      ASSERT_EQ(b.Get(Bench::kDst, size_t(i)), want) << int(type);
    }
  });
}

// What follows calculates or compares: values that both formats hold exactly.
double ValueOf(uint8_t type, uint64_t bits) {
  return type == AKGEN_F32 ? FloatValue(uint32_t(bits)) : HalfValue(uint16_t(bits));
}
void Put(Bench& b, uint8_t type, size_t base, size_t i, double value) {
  uint64_t bits =
      type == AKGEN_F32 ? std::bit_cast<uint32_t>(float(value)) : base::DoubleToHalf(value);
  std::memcpy(&b.ub[base + i * b.size], &bits, b.size);
}

TEST(EveryDtype, SelectTakesTheBitsInOrder) {
  ForEveryDtype(AKGEN_OP_Select, [](Bench& b, uint8_t type) {
    b.v.src1_type = type, b.v.src1 = b.At<void>(8192), b.v.form = AKGEN_FORM_COUNT, b.v.mode = 2;
    b.v.aux[0] = reinterpret_cast<uint64_t>(b.At<void>(16384));
    b.Count(300, uint32_t(b.size));
    RunOwn(b, b.v);
    for (size_t i = 0; i < 300; ++i)
      ASSERT_EQ(b.Get(Bench::kDst, i),
                b.ub[16384 + i / 8] >> (i % 8) & 1 ? b.Get(0, i) : b.Get(8192, i));
  });
}
TEST(EveryDtype, SelectWithBytesMask) {
  ForEveryDtype(AKGEN_OP_SelectWithBytesMask, [](Bench& b, uint8_t) {
    b.v.src1_type = AKGEN_U8, b.v.scalar = 0x12345678, b.v.flag = 1;
    b.v.aux[0] = reinterpret_cast<uint64_t>(b.At<void>(16384)), b.v.aux[1] = 4 | 16ull << 32,
    b.v.aux[2] = 32;
    for (size_t i = 0; i < 128; ++i) b.ub[16384 + i] &= 1;
    RunOwn(b, b.v);
    const uint64_t scalar = b.size == 2 ? 0x5678 : 0x12345678;
    for (size_t i = 0; i < 64; ++i)
      ASSERT_EQ(b.Get(Bench::kDst, i), b.ub[16384 + i / 16 * 32 + i % 16] ? scalar : b.Get(0, i));
  });
}
TEST(EveryDtype, RepeatReductions) {
  for (uint32_t op : {AKGEN_OP_WholeReduceMax, AKGEN_OP_WholeReduceMin, AKGEN_OP_BlockReduceSum,
                      AKGEN_OP_BlockReduceMax, AKGEN_OP_BlockReduceMin, AKGEN_OP_PairReduceSum})
    ForEveryDtype(op, [op](Bench& b, uint8_t type) {
      const size_t per = 256 / b.size;
      const bool whole = op == AKGEN_OP_WholeReduceMax || op == AKGEN_OP_WholeReduceMin,
                 pair = op == AKGEN_OP_PairReduceSum;
      const bool sum = pair || op == AKGEN_OP_BlockReduceSum;
      const size_t group = whole ? per : pair ? 2 : 32 / b.size, groups = per / group;
      std::mt19937 rng(op);
      for (size_t i = 0; i < 2 * per; ++i)
        Put(b, type, 0, i, double(int(rng() % 101) - 50));  // sums are exact
      b.v.form = AKGEN_FORM_MASK, b.v.src0_blk = 1, b.v.src0_rep = 8;
      b.v.dst_rep = 1;
      b.Masked(2, uint32_t(b.size), ~0ull, ~0ull);
      RunOwn(b, b.v);
      for (size_t g = 0; g < 2 * groups; ++g) {
        double want = ValueOf(type, b.Get(0, g * group));
        for (size_t i = 1; i < group; ++i) {
          const double x = ValueOf(type, b.Get(0, g * group + i));
          const bool max = op == AKGEN_OP_WholeReduceMax || op == AKGEN_OP_BlockReduceMax;
          want = sum ? want + x : max ? std::max(want, x) : std::min(want, x);
        }
        // A whole reduction gives a value and its index.
        ASSERT_EQ(ValueOf(type, b.Get(Bench::kDst, whole ? 2 * g : g)), want)
            << VecOpName(op) << " " << int(type) << " group " << g;
      }
    });
}
TEST(EveryDtype, SumsOfRows) {
  for (uint32_t op : {AKGEN_OP_SumRows, AKGEN_OP_CumSum})
    ForEveryDtype(op, [op](Bench& b, uint8_t type) {
      std::mt19937 rng(op);
      for (size_t i = 0; i < 5 * 32; ++i) Put(b, type, 0, i, double(int(rng() % 41) - 20));
      b.v.aux[0] = 5, b.v.aux[1] = 32, b.v.aux[2] = op == AKGEN_OP_SumRows ? 30 : 1;
      RunOwn(b, b.v);
      for (size_t r = 0; r < 5; ++r) {
        double sum = 0;
        for (size_t c = 0; c < 32; ++c) {
          if (op == AKGEN_OP_CumSum || c < 30) sum += ValueOf(type, b.Get(0, r * 32 + c));
          if (op == AKGEN_OP_CumSum) ASSERT_EQ(ValueOf(type, b.Get(Bench::kDst, r * 32 + c)), sum);
        }
        if (op == AKGEN_OP_SumRows) ASSERT_EQ(ValueOf(type, b.Get(Bench::kDst, r)), sum);
      }
    });
}

// Records of 8 bytes with the score first (MrgSort), or of 8 elements with the score fifth
// (proposals).
TEST(EveryDtype, MergesOfFourLists) {
  for (uint32_t op : {AKGEN_OP_MrgSort, AKGEN_OP_MrgSort4})
    ForEveryDtype(op, [op](Bench& b, uint8_t type) {
      const size_t record = op == AKGEN_OP_MrgSort ? 8 : 8 * b.size,
                   score_at = op == AKGEN_OP_MrgSort ? 0 : 4 * b.size;
      uint64_t src[4];
      std::vector<std::pair<double, std::vector<uint8_t>>> all;
      for (size_t l = 0; l < 4; ++l) {
        src[l] = reinterpret_cast<uint64_t>(b.At<void>(l * 4096));
        for (size_t i = 0; i < 20; ++i) {
          const size_t at = l * 4096 + i * record;
          const double score = double(100 - 4 * int(i) - int(l) * int(i % 3 == 0 ? 1 : 0));
          uint64_t bits =
              type == AKGEN_F32 ? std::bit_cast<uint32_t>(float(score)) : base::DoubleToHalf(score);
          std::memcpy(&b.ub[at + score_at], &bits, b.size);
          all.push_back({score, {&b.ub[at], &b.ub[at] + record}});
        }
      }
      b.v.aux[0] = reinterpret_cast<uint64_t>(src), b.v.aux[1] = 0x0014001400140014ull,
      b.v.mode = 15, b.v.repeat = 1;
      RunOwn(b, b.v);
      std::vector<size_t> order(all.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::sort(order.begin(), order.end(), [&](size_t x, size_t y) {
        return all[x].first != all[y].first ? all[x].first > all[y].first : x < y;
      });
      for (size_t i = 0; i < 80; ++i)
        ASSERT_EQ(std::memcmp(&b.ub[Bench::kDst + i * record], all[order[i]].second.data(), record),
                  0)
            << i;
    });
}
TEST(EveryDtype, ProposalsAreSortedByScore) {
  for (uint32_t op : {AKGEN_OP_ProposalConcat, AKGEN_OP_RpSort16, AKGEN_OP_ProposalExtract})
    ForEveryDtype(op, [op](Bench& b, uint8_t type) {
      b.v.repeat = 2, b.v.mode = op == AKGEN_OP_RpSort16 ? 0 : 3;
      for (size_t i = 0; i < 32; ++i)
        if (op == AKGEN_OP_RpSort16) Put(b, type, 0, 8 * i + 4, double(i * 7 % 16));
      RunOwn(b, b.v);
      for (size_t i = 0; i < 32; ++i) {
        if (op == AKGEN_OP_ProposalConcat) ASSERT_EQ(b.Get(Bench::kDst, 8 * i + 3), b.Get(0, i));
        if (op == AKGEN_OP_ProposalExtract) ASSERT_EQ(b.Get(Bench::kDst, i), b.Get(0, 8 * i + 3));
        if (op == AKGEN_OP_RpSort16)
          ASSERT_EQ(ValueOf(type, b.Get(Bench::kDst, 8 * i + 4)), double(15 - i % 16));
      }
    });
}

}  // namespace
}  // namespace akgen::sim::test
