#include <gtest/gtest.h>

#include "values.h"

namespace akgen::sim::test {
namespace {

AkgenVec Row(Core& core, uint32_t op, uint8_t type, uint64_t a, uint64_t b, uint64_t c) {
  AkgenVec v = Instr(op, type, type);
  v.form = AKGEN_FORM_WHOLE;
  v.repeat = 1;
  v.src0 = core.At<void>(0), v.dst = core.At<void>(65536), v.tmp = core.At<void>(131072),
  v.tmp_bytes = 32768;
  v.aux[0] = a, v.aux[1] = b, v.aux[2] = c;
  return v;
}

TEST(Rows, SumAndMean) {
  Core core;
  for (int i = 0; i < 2 * 304; ++i) core.At<float>(0)[i] = i % 304 < 300 ? float(i % 304) : 1e30f;
  AkgenVec v = Row(core, AKGEN_OP_SumRows, AKGEN_F32, 2, 304, 300);
  RunOwn(core, v);
  EXPECT_EQ(core.At<float>(65536)[0], 44850.0f);
  EXPECT_EQ(core.At<float>(65536)[1], 44850.0f);
  EXPECT_EQ(core.read_bytes, 2400u);
  EXPECT_GT(core.clobbered, 0u);
  v.op = AKGEN_OP_MeanRows;
  RunOwn(core, v);
  EXPECT_EQ(core.At<float>(65536)[1], 149.5f);
}
// Working space of the host functions: for the row sums of 300 floats 5 repeats, rounded to
// DataBlocks; for softmax of 2 x 304 floats 2 · (304 + 8 + 64) floats; never more than the caller
// passed.
TEST(Rows, TheTemporaryBufferLosesWhatIsDocumented) {
  Core core;
  AkgenVec v = Row(core, AKGEN_OP_SumRows, AKGEN_F32, 2, 304, 300);
  EXPECT_EQ(TmpUse(v, 0), 32u);
  v = Row(core, AKGEN_OP_SoftMaxRows, AKGEN_F32, 2, 304, 300);
  EXPECT_EQ(TmpUse(v, 0), 2u * (304 + 8 + 64) * 4);
  FindOwn(v)(core, v);
  EXPECT_EQ(core.clobbered, 2u * (304 + 8 + 64) * 4);
  v.tmp_bytes = 1024;
  EXPECT_EQ(TmpUse(v, 0), 1024u);
  v.tmp = nullptr;
  EXPECT_EQ(TmpUse(v, 0), 0u);
  AkgenVec sin = Instr(AKGEN_OP_Sin, AKGEN_F16, AKGEN_F16);
  sin.tmp = core.At<void>(0), sin.tmp_bytes = 65536;
  EXPECT_EQ(TmpUse(sin, 1000), 8u * 2000);
  EXPECT_EQ(TmpUse(sin, 10), 8u * 256);
  sin.op = AKGEN_OP_Hypot;  // nothing is documented: one DataBlock
  EXPECT_EQ(TmpUse(sin, 1000), 32u);
}
// 3000 halves of 30: the half sum overflows, the float accumulator of Mean<half, float> does not.
TEST(Rows, MeanAccumulatesInFloatWhenAsked) {
  Core core;
  for (int i = 0; i < 3008; ++i) core.At<uint16_t>(0)[i] = base::DoubleToHalf(30);
  AkgenVec v = Row(core, AKGEN_OP_MeanRows, AKGEN_F16, 1, 3008, 3000);
  RunOwn(core, v);
  EXPECT_EQ(*core.At<uint16_t>(65536), 0x7c00);
  v.flag = 1;
  RunOwn(core, v);
  EXPECT_EQ(*core.At<uint16_t>(65536), base::DoubleToHalf(30));
}

TEST(Rows, CumSumBothAxes) {
  Core core;
  for (int i = 0; i < 48; ++i) core.At<float>(0)[i] = float(i);
  AkgenVec v = Row(core, AKGEN_OP_CumSum, AKGEN_F32, 3, 16, 1);
  RunOwn(core, v);
  for (int r = 0; r < 3; ++r) {
    float sum = 0;
    for (int c = 0; c < 16; ++c)
      EXPECT_EQ(core.At<float>(65536)[r * 16 + c], sum += float(r * 16 + c));
  }
  v.aux[2] = 0;
  RunOwn(core, v);
  for (int c = 0; c < 16; ++c) EXPECT_EQ(core.At<float>(65536)[32 + c], float(c + c + 16 + c + 32));
}

TEST(Rows, BroadCast) {
  Core core;
  for (int i = 0; i < 64; ++i) core.At<uint16_t>(0)[i] = uint16_t(100 + i);
  auto run = [&](uint64_t dims, uint64_t axis, uint64_t rows, uint64_t cols, uint64_t src_rows,
                 uint64_t src_cols) {
    AkgenVec v = Row(core, AKGEN_OP_BroadCast, AKGEN_F16, dims, axis, rows | cols << 32);
    v.aux[3] = src_rows | src_cols << 32;
    RunOwn(core, v);
    return core.At<uint16_t>(65536);
  };
  uint16_t* d = run(2, 1, 5, 16, 5, 1);
  for (int i = 0; i < 80; ++i) EXPECT_EQ(d[i], 100 + i / 16);
  d = run(2, 0, 4, 32, 1, 32);
  for (int i = 0; i < 128; ++i) EXPECT_EQ(d[i], 100 + i % 32);
  d = run(1, 0, 50, 0, 1, 0);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(d[i], 100);
  run(2, 1, 5, 16, 5, 3);
  EXPECT_EQ(core.broken.size(), 1u);
}

TEST(Rows, SoftMaxForwardAndBackward) {
  for (uint8_t type : {AKGEN_F32, AKGEN_F16}) {
    Core core;
    const int rows = 3, pitch = 112, n = 100, size = type == AKGEN_F32 ? 4 : 2;
    std::mt19937 rng(71);
    std::vector<double> x(rows * pitch), y(rows * pitch), g(rows * pitch);
    auto put = [&](size_t at, int i, double v) {
      if (size == 4)
        core.At<float>(at)[i] = float(v);
      else
        core.At<uint16_t>(at)[i] = base::DoubleToHalf(v);
    };
    auto get = [&](size_t at, int i) {
      return size == 4 ? double(core.At<float>(at)[i]) : HalfValue(core.At<uint16_t>(at)[i]);
    };
    for (int i = 0; i < rows * pitch; ++i) {
      put(0, i, (int(rng() % 2001) - 1000) / 100.0);
      put(65536, i, 777);
      x[i] = get(0, i);
    }
    AkgenVec v = Row(core, AKGEN_OP_SoftMaxRows, type, rows, pitch, n);
    v.src1 = core.At<void>(20480), v.aux[3] = reinterpret_cast<uint64_t>(core.At<void>(24576)),
    v.src1_type = AKGEN_F32;
    RunOwn(core, v);
    const double tolerance = size == 4 ? 1e-6 : 1e-3;
    for (int r = 0; r < rows; ++r) {
      double top = -1e9, sum = 0;
      for (int i = 0; i < n; ++i) top = std::max(top, x[r * pitch + i]);
      for (int i = 0; i < n; ++i) sum += std::exp(x[r * pitch + i] - top);
      for (int i = 0; i < n; ++i) {
        y[r * pitch + i] = std::exp(x[r * pitch + i] - top) / sum;
        EXPECT_NEAR(get(65536, r * pitch + i), y[r * pitch + i],
                    tolerance * y[r * pitch + i] + 1e-7);
      }
      EXPECT_EQ(get(65536, r * pitch + n), 777);
      EXPECT_NEAR(core.At<float>(20480)[8 * r + 7], sum, 1e-5 * sum);
      EXPECT_NEAR(core.At<float>(24576)[8 * r], top, 1e-6);
    }
    for (int i = 0; i < rows * pitch; ++i) {
      put(32768, i, y[i]);
      y[i] = get(32768, i);
    }
    v = Row(core, AKGEN_OP_SoftMaxGradRows, type, rows, pitch, n);
    v.src1 = core.At<void>(32768);
    v.src1_type = type;
    RunOwn(core, v);
    for (int r = 0; r < rows; ++r) {
      double dot = 0;
      for (int i = 0; i < n; ++i) dot += x[r * pitch + i] * y[r * pitch + i];
      for (int i = 0; i < n; ++i)
        EXPECT_NEAR(get(65536, r * pitch + i), (x[r * pitch + i] - dot) * y[r * pitch + i],
                    tolerance * 5);
    }
  }
}

TEST(Rows, SelectWithBytes) {
  Core core;
  for (int i = 0; i < 64; ++i) core.At<float>(0)[i] = float(i);
  for (int i = 0; i < 128; ++i) *core.At<uint8_t>(4096 + i) = uint8_t(i % 3 == 0 ? 2 : 0);
  for (uint8_t flag : {0, 1}) {
    AkgenVec v = Row(core, AKGEN_OP_SelectWithBytesMask, AKGEN_F32, 0, 4 | 16ull << 32, 32);
    v.src1_type = AKGEN_U8;
    v.aux[0] = reinterpret_cast<uint64_t>(core.At<void>(4096));
    v.scalar = std::bit_cast<uint32_t>(-1.0f);
    v.flag = flag;
    RunOwn(core, v);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 16; ++c) {
        bool set = (r * 32 + c) % 3 == 0;
        EXPECT_EQ(core.At<float>(65536)[r * 16 + c], set == bool(flag) ? -1.0f : float(r * 16 + c));
      }
  }
}

}  // namespace
}  // namespace akgen::sim::test
