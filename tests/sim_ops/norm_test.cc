// The normalisations against the formulas in double.
#include <gtest/gtest.h>

#include "akgen/library_tmp.h"
#include "library_call.h"

namespace akgen::sim::test {
namespace {

struct Two {
  double mean = 0, variance = 0;
};
Two MomentsOf(const std::vector<double>& x) {
  Two m;
  for (double e : x) m.mean += e / double(x.size());
  for (double e : x) m.variance += (e - m.mean) * (e - m.mean) / double(x.size());
  return m;
}
std::vector<double> RowOf(const std::vector<double>& x, int r, int pitch, int n) {
  return {x.begin() + r * pitch, x.begin() + r * pitch + n};
}

constexpr uint8_t kTypes[] = {AKGEN_F32, AKGEN_F16};
constexpr float kEpsilon = 1e-3f;

TEST(Norm, LayerNormGivesMeanAndVariance) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_LayerNorm, type, 3);
    c.Size(6, 48, 48, 48);
    c.Scalar(kEpsilon);
    const auto x = c.Fill(3, 6 * 48), gamma = c.Fill(4, 48), beta = c.Fill(5, 48);
    c.Run();
    for (int r = 0; r < 6; ++r) {
      const Two m = MomentsOf(RowOf(x, r, 48, 48));
      c.Near(1, r, m.mean, type);
      c.Near(2, r, m.variance, type);
      for (int i = 0; i < 48; ++i)
        c.Near(0, r * 48 + i,
               (x[r * 48 + i] - m.mean) / std::sqrt(m.variance + kEpsilon) * gamma[i] + beta[i],
               type, 4);
    }
    EXPECT_EQ(c.core.clobbered, LayerNormTmp(6, 48, type == AKGEN_F32 ? 4 : 2, false).max);
  }
}

// Rows of 45 of 48; floats for the moments; gamma in float for half data.
TEST(Norm, LayerNormGivesRstdOfPaddedRows) {
  for (uint8_t type : kTypes)
    for (uint8_t without : {0, 12}) {
      Call c(AKGEN_OP_LayerNorm, type, 3);
      c.v.src1_type = AKGEN_F32, c.v.mode = 3 | without;
      c.Size(5, 48, 45, 45);
      c.Scalar(kEpsilon);
      const auto x = c.Fill(3, 5 * 48), gamma = c.Fill(4, 45, -2, 2, AKGEN_F32),
                 beta = c.Fill(5, 45, -2, 2, AKGEN_F32);
      c.Put(0, 47, 777, type);
      c.Run();
      for (int r = 0; r < 5; ++r) {
        const Two m = MomentsOf(RowOf(x, r, 48, 45));
        c.Near(1, r, m.mean, AKGEN_F32);
        c.Near(2, r, 1 / std::sqrt(m.variance + kEpsilon), AKGEN_F32);
        for (int i = 0; i < 45; ++i) {
          const double y = (x[r * 48 + i] - m.mean) / std::sqrt(m.variance + kEpsilon);
          c.Near(0, r * 48 + i, without ? y : y * gamma[i] + beta[i], type, 4);
        }
      }
      EXPECT_EQ(c.Get(0, 47, type), base::HalfToFloat(base::DoubleToHalf(777)));
    }
}

TEST(Norm, NormalizeTakesItsMoments) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_Normalize, type, 2);
    c.Size(4, 32, 30, 30);
    c.Scalar(kEpsilon);
    const auto mean = c.Fill(2, 4, -1, 1, AKGEN_F32), variance = c.Fill(3, 4, 0, 3, AKGEN_F32),
               x = c.Fill(4, 4 * 32), gamma = c.Fill(5, 30), beta = c.Fill(6, 30);
    c.Run();
    for (int r = 0; r < 4; ++r) {
      const double k = 1 / std::sqrt(variance[r] + kEpsilon);
      c.Near(1, r, k, AKGEN_F32);
      for (int i = 0; i < 30; ++i)
        c.Near(0, r * 32 + i, (x[r * 32 + i] - mean[r]) * k * gamma[i] + beta[i], type, 4);
    }
  }
}

TEST(Norm, DeepNormAddsTheScaledSource) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_DeepNorm, type, 3);
    c.Size(3, 64, 64, 64);
    c.Scalar(kEpsilon);
    c.v.aux[3] = std::bit_cast<uint32_t>(0.5f);
    const auto x = c.Fill(3, 3 * 64), gx = c.Fill(4, 3 * 64), gamma = c.Fill(5, 64),
               beta = c.Fill(6, 64);
    c.Run();
    for (int r = 0; r < 3; ++r) {
      std::vector<double> sum(64);
      for (int i = 0; i < 64; ++i) sum[i] = 0.5 * x[r * 64 + i] + gx[r * 64 + i];
      const Two m = MomentsOf(sum);
      c.Near(1, r, m.mean, type);
      c.Near(2, r, m.variance, type);
      for (int i = 0; i < 64; ++i)
        c.Near(0, r * 64 + i,
               (sum[i] - m.mean) / std::sqrt(m.variance + kEpsilon) * gamma[i] + beta[i], type, 4);
    }
  }
}

TEST(Norm, RmsNorm) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_RmsNorm, type, 1);
    c.Size(3, 32, 32, 32);
    c.Scalar(kEpsilon);
    const auto x = c.Fill(1, 3 * 32), gamma = c.Fill(2, 32);
    c.Run();
    for (int r = 0; r < 3; ++r) {
      double squares = 0;
      for (int i = 0; i < 32; ++i) squares += x[r * 32 + i] * x[r * 32 + i] / 32;
      for (int i = 0; i < 32; ++i)
        c.Near(0, r * 32 + i, x[r * 32 + i] / std::sqrt(squares + kEpsilon) * gamma[i], type, 4);
    }
  }
}

// 2 batches of 6 channels in 3 groups, 14 elements of 16.
TEST(Norm, GroupNorm) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_GroupNorm, type, 3);
    c.Size(2, 6, 14, 16);
    c.v.aux[3] = 3;
    c.Scalar(kEpsilon);
    const auto x = c.Fill(3, 2 * 6 * 16), gamma = c.Fill(4, 6), beta = c.Fill(5, 6);
    c.Run();
    for (int g = 0; g < 6; ++g) {
      std::vector<double> all = RowOf(x, 2 * g, 16, 14), second = RowOf(x, 2 * g + 1, 16, 14);
      all.insert(all.end(), second.begin(), second.end());
      const Two m = MomentsOf(all);
      c.Near(1, g, m.mean, type);
      c.Near(2, g, m.variance, type);
      for (int i = 0; i < 28; ++i) {
        const int row = 2 * g + i / 14, channel = row % 6;
        c.Near(
            0, row * 16 + i % 14,
            (all[i] - m.mean) / std::sqrt(m.variance + kEpsilon) * gamma[channel] + beta[channel],
            type, 4);
      }
    }
  }
}

TEST(Norm, BatchNormGoesOverBatches) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_BatchNorm, type, 3);
    c.Size(8, 32);
    c.Scalar(kEpsilon);
    const auto x = c.Fill(3, 8 * 32), gamma = c.Fill(4, 8), beta = c.Fill(5, 8);
    c.Run();
    for (int i = 0; i < 32; ++i) {
      std::vector<double> column(8);
      for (int r = 0; r < 8; ++r) column[r] = x[r * 32 + i];
      const Two m = MomentsOf(column);
      c.Near(1, i, m.mean, type);
      c.Near(2, i, m.variance, type);
      for (int r = 0; r < 8; ++r)
        c.Near(0, r * 32 + i,
               (column[r] - m.mean) / std::sqrt(m.variance + kEpsilon) * gamma[r] + beta[r], type,
               4);
    }
  }
}

// The gradient of sum(dy * LayerNorm(x)) by differences in double.
TEST(Norm, LayerNormGradIsTheDerivative) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_LayerNormGrad, type, 2);
    const int rows = 4, n = 16;
    c.Size(rows, n, n, n);
    c.Scalar(kEpsilon);
    const auto dy = c.Fill(2, rows * n, -1, 1), x = c.Fill(3, rows * n),
               gamma = c.Fill(6, n, -1, 1);
    for (int r = 0; r < rows; ++r) {
      const Two m = MomentsOf(RowOf(x, r, n, n));
      c.Put(4, r, m.variance, type);
      c.Put(5, r, m.mean, type);
    }
    c.Run();
    for (int r = 0; r < rows; ++r) {
      auto loss = [&](int moved, double by) {
        std::vector<double> row = RowOf(x, r, n, n);
        row[moved] += by;
        const Two m = MomentsOf(row);
        double sum = 0;
        for (int i = 0; i < n; ++i)
          sum += dy[r * n + i] * gamma[i] * (row[i] - m.mean) / std::sqrt(m.variance + kEpsilon);
        return sum;
      };
      const Two m = MomentsOf(RowOf(x, r, n, n));
      for (int i = 0; i < n; ++i) {
        c.Near(0, r * n + i, (loss(i, 1e-5) - loss(i, -1e-5)) / 2e-5, type,
               type == AKGEN_F32 ? 1 : 3);
        c.Near(1, r * n + i, (x[r * n + i] - m.mean) / std::sqrt(m.variance + kEpsilon), type, 2);
      }
    }
  }
}

TEST(Norm, LayerNormGradBetaSumsColumns) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_LayerNormGradBeta, type, 2);
    c.Size(7, 32);
    const auto res = c.Fill(2, 7 * 32), dy = c.Fill(3, 7 * 32);
    c.Run();
    for (int i = 0; i < 32; ++i) {
      double gamma = 0, beta = 0;
      for (int r = 0; r < 7; ++r) gamma += res[r * 32 + i] * dy[r * 32 + i], beta += dy[r * 32 + i];
      c.Near(0, i, gamma, type, 20);
      c.Near(1, i, beta, type, 10);
    }
  }
}

// Four blocks of one long row, the way kernels use the pair: the moments of all 4 x 32 elements
// come out.
TEST(Norm, WelfordOverBlocksGivesTheMomentsOfAll) {
  for (uint8_t type : kTypes) {
    Call c(AKGEN_OP_WelfordUpdate, type, 2);
    c.v.dst_type = AKGEN_F32;
    std::vector<double> all;
    for (int step = 1; step <= 4; ++step) {
      for (int i = 0; i < 32; ++i)
        for (int k = 0; k < 2; ++k)
          c.Put(2 + k, i, step == 1 ? 0 : c.Get(k, i, AKGEN_F32), AKGEN_F32);
      const auto x = c.Fill(4, 32);
      all.insert(all.end(), x.begin(), x.end());
      c.Size(1, 32, 32);
      c.Scalar(1.0f / float(step));
      c.Run();
    }
    for (int mode = 0; mode < 3; ++mode) {  // one weight, head and tail, a list
      Call f(AKGEN_OP_WelfordFinalize, AKGEN_F32, 2);
      for (int i = 0; i < 32; ++i)
        f.Put(2, i, c.Get(0, i, AKGEN_F32), AKGEN_F32),
            f.Put(3, i, c.Get(1, i, AKGEN_F32), AKGEN_F32);
      for (int i = 0; i < 32; ++i) f.Put(4, i, 4, AKGEN_I32);
      f.v.mode = mode == 2;
      f.v.aux[1] = 32 | 1ull << 32;
      f.v.aux[2] = 4 | uint64_t(mode ? 16 : 32) << 32;
      f.v.aux[3] = mode ? 4 | 16ull << 32 : 0;
      f.v.scalar =
          std::bit_cast<uint32_t>(1.0f / 32) | uint64_t(std::bit_cast<uint32_t>(1.0f / 128)) << 32;
      f.Run();
      const Two m = MomentsOf(all);
      f.Near(0, 0, m.mean, AKGEN_F32);
      f.Near(1, 0, m.variance, AKGEN_F32);
    }
  }
}

// Documented example: nRec 0.125, means and sums equal to the index, data 1; the last elements are
// copied in place.
TEST(Norm, WelfordUpdateInPlaceCopiesTheRest) {
  Call c(AKGEN_OP_WelfordUpdate, AKGEN_F32, 2);
  for (int i = 0; i < 64; ++i)
    for (int operand : {2, 3}) c.Put(operand, i, i, AKGEN_F32);
  for (int i = 0; i < 64; ++i) c.Put(4, i, 1, AKGEN_F32);
  c.v.mode = 1;
  c.Size(1, 64, 35);
  c.Scalar(0.125f);
  c.Run();
  EXPECT_EQ(c.Get(0, 2, AKGEN_F32), 1.875);
  EXPECT_EQ(c.Get(1, 3, AKGEN_F32), 6.5);
  EXPECT_EQ(c.Get(0, 35, AKGEN_F32), 35);
  EXPECT_EQ(c.Get(1, 63, AKGEN_F32), 63);
}

TEST(Norm, RefusesSmallBuffersAndOverlaps) {
  Call c(AKGEN_OP_RmsNorm, AKGEN_F32, 1);
  c.Size(3, 32, 32, 32);
  c.v.tmp_bytes = RmsNormTmp(3, 32, 4).min;
  c.Fill(1, 96);
  c.Fill(2, 32);
  c.Run();
  c.v.tmp_bytes -= 32;
  RunOwn(c.core, c.v);
  ASSERT_EQ(c.core.broken, std::vector<std::string>{"tmp_size"});
  c.v.tmp = c.core.At<void>(Call::kApart + 128), c.v.tmp_bytes = 65536;
  RunOwn(c.core, c.v);
  EXPECT_EQ(c.core.broken.back(), "overlap");
}

// A row of x with an undefined element: that row's results are undefined, the others are not.
TEST(Norm, UndefinedRowsStayApart) {
  Call c(AKGEN_OP_LayerNorm, AKGEN_F32, 3);
  c.Size(3, 16, 16, 16);
  c.Scalar(kEpsilon);
  for (int operand : {3, 4, 5}) c.Fill(operand, 48);
  c.core.SetDefined(c.core.At<void>(3 * Call::kApart + 64 + 8), 4, false);  // row 1, element 2
  c.Run();
  EXPECT_TRUE(c.core.Defined(c.core.At<void>(0), 64));
  EXPECT_FALSE(c.core.Defined(c.core.At<void>(64), 4));
  EXPECT_TRUE(c.core.Defined(c.core.At<void>(128), 64));
  EXPECT_FALSE(c.core.Defined(c.core.At<void>(Call::kApart + 4), 4));
  EXPECT_TRUE(c.core.Defined(c.core.At<void>(Call::kApart + 8), 4));
}

}  // namespace
}  // namespace akgen::sim::test
